// A picture that came with a message, read from the user's workspace. A file is handed out to be saved, not to be shown:
// its bytes become a picture here.
import { useEffect, useState } from "react";
import { send } from "../api/http";
import type { Attachment } from "../api/sessions";
import { Icon } from "../ui/Icon";

export function StoredPicture({ attachment, alt }: { attachment: Attachment; alt: string }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    let made: string | null = null;
    pictureUrl(attachment, abort.signal)
      .then(found => {
        made = found;
        if (abort.signal.aborted) URL.revokeObjectURL(found);
        else setUrl(found);
      })
      .catch(() => undefined); // its name is shown instead
    return () => {
      abort.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [attachment]);
  if (url) return <img src={url} alt={alt} />;
  return (
    <span className="tag">
      <Icon name="image" />
      {attachment.name}
    </span>
  );
}

async function pictureUrl(attachment: Attachment, signal: AbortSignal): Promise<string> {
  const path = attachment.path.split("/").map(encodeURIComponent).join("/");
  const bytes = await (await send(`/api/workspace/files/${path}`, { signal })).arrayBuffer();
  return URL.createObjectURL(new Blob([bytes], { type: attachment.media_type }));
}
