// Where the user writes. Enter sends, Shift+Enter begins a line; pictures come by button, paste or drop.
import { memo, useEffect, useRef, useState, type ClipboardEvent, type DragEvent, type KeyboardEvent } from "react";
import { useWords } from "../i18n/language";
import { Icon } from "../ui/Icon";
import { asDataUrl, IMAGE_TYPES, MOST_IMAGES } from "./images";
import type { Phase, Thread } from "./thread";

const NEW = "new"; // the draft of the conversation that has not begun
const drafts = new Map<string, string>(); // by conversation, while the page is open
const ROOM = 620_000; // bytes of pictures in one message: a request may have a megabyte, and base64 takes a third more

interface Props {
  thread: Thread;
  id: string | null;
  phase: Phase;
  skill: string | null; // that a conversation begins with
}

/** Drawn again for what concerns it, and not with each word of an answer. */
export const Composer = memo(function Composer({ thread, id, phase, skill }: Props) {
  const words = useWords();
  const [text, setText] = useState(() => drafts.get(id ?? NEW) ?? "");
  const [images, setImages] = useState<string[]>([]);
  const [refused, setRefused] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const busy = phase !== "idle" && phase !== "waiting";
  const ready = !busy && phase !== "waiting" && (text.trim() !== "" || images.length > 0);

  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) area.current?.focus();
  }, []);
  useEffect(() => {
    drafts.set(id ?? NEW, text);
    const element = area.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);

  function send() {
    if (!ready) return;
    drafts.delete(id ?? NEW);
    void thread.say({ text: text.trim(), images, skill: id === null ? skill : null });
    setText("");
    setImages([]);
    setRefused(false);
  }

  function onKeyDown(event: KeyboardEvent) {
    // while a Chinese word is being composed, Enter belongs to the input method
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    }
  }

  async function add(files: Iterable<File>) {
    const room = Math.floor(ROOM / Math.max(1, [...files].length + images.length));
    const urls = await Promise.all([...files].map(each => asDataUrl(each, room)));
    const fine = urls.filter(url => url !== null);
    setRefused(fine.length < urls.length || images.length + fine.length > MOST_IMAGES);
    setImages(before => [...before, ...fine].slice(0, MOST_IMAGES));
  }

  function onPaste(event: ClipboardEvent) {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    void add(files);
  }

  function onDrop(event: DragEvent) {
    event.preventDefault();
    void add([...event.dataTransfer.files]);
  }

  return (
    <form
      className="composer"
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
      onDragOver={event => event.preventDefault()}
      onDrop={onDrop}
    >
      <div className="composer-box">
        {images.length > 0 && (
          <div className="pictures">
            {images.map((url, index) => (
              <button
                key={index}
                type="button"
                className="picture-chosen"
                aria-label={words.chat.removePicture(index + 1)}
                onClick={() => setImages(images.toSpliced(index, 1))}
              >
                <img src={url} alt="" />
                <Icon name="close" />
              </button>
            ))}
          </div>
        )}
        <textarea
          ref={area}
          rows={1}
          value={text}
          aria-label={words.chat.say}
          placeholder={phase === "waiting" ? words.chat.waitsForYou : words.chat.say}
          onChange={event => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <div className="composer-buttons">
          <input
            ref={file}
            type="file"
            accept={IMAGE_TYPES}
            multiple
            hidden
            onChange={event => {
              void add([...(event.target.files ?? [])]);
              event.target.value = "";
            }}
          />
          <button
            type="button"
            className="button quiet icon"
            aria-label={words.chat.addPicture}
            onClick={() => file.current?.click()}
          >
            <Icon name="image" />
          </button>
          {refused && (
            <span className="muted" role="alert">
              {words.chat.pictureRefused}
            </span>
          )}
          {busy ? (
            <button
              type="button"
              className="button icon round stop"
              aria-label={words.chat.stop}
              disabled={phase === "stopping" || id === null}
              onClick={() => void thread.stop()}
            >
              <Icon name="stop" />
            </button>
          ) : (
            <button type="submit" className="button primary icon round" aria-label={words.chat.send} disabled={!ready}>
              <Icon name="send" />
            </button>
          )}
        </div>
      </div>
    </form>
  );
});
