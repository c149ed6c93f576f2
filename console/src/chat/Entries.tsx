// The entries of a conversation. Old ones stand together in blocks, so that the browser passes over what is far away
// block by block, and a long conversation scrolls as a short one does.
import { memo } from "react";
import { EntryView } from "./EntryView";
import type { Entry } from "./entries";

const BLOCK = 40; // messages
const RECENT = 80; // that stand by themselves: what grows or is looked at moves into no block

interface Props {
  entries: readonly Entry[];
  pointed: string | undefined;
}

export function Entries({ entries, pointed }: Props) {
  const newest = entries.findLast(entry => entry.seq !== undefined)?.seq ?? 0;
  const old = Math.floor((newest - RECENT) / BLOCK);
  const blocks: (readonly [number, Entry[]])[] = [];
  const rest: Entry[] = [];
  for (const entry of entries) {
    const block = entry.seq === undefined ? Infinity : Math.floor(entry.seq / BLOCK);
    if (block >= old) rest.push(entry);
    else if (blocks.at(-1)?.[0] === block) blocks.at(-1)![1].push(entry);
    else blocks.push([block, [entry]]);
  }
  return (
    <>
      {blocks.map(([block, members]) => (
        <Block
          key={block}
          entries={members}
          pointed={members.some(each => each.id === pointed) ? pointed : undefined}
        />
      ))}
      {rest.map(entry => (
        <EntryView key={entry.id} entry={entry} pointed={entry.id === pointed} />
      ))}
    </>
  );
}

const Block = memo(
  function Block({ entries, pointed }: Props) {
    return (
      <div className="entry-block">
        {entries.map(entry => (
          <EntryView key={entry.id} entry={entry} pointed={entry.id === pointed} />
        ))}
      </div>
    );
  },
  (before, after) =>
    before.pointed === after.pointed &&
    before.entries.length === after.entries.length &&
    before.entries.every((entry, index) => entry === after.entries[index]),
);
