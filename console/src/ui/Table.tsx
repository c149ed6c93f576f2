// A table; where the page is narrow each row becomes a card, and each cell says what it holds.
import { createContext, useContext, type ReactNode } from "react";

export interface Head {
  shown: string;
  number?: boolean;
}

const Heads = createContext<readonly Head[]>([]);

interface Props {
  label: string;
  heads: readonly (string | Head)[];
  actions?: boolean; // whether each row ends with buttons, which have no head
  children: ReactNode;
}

/** The roles are named because a browser forgets those of tables that are laid out as something else. */
export function Table({ label, heads, actions = false, children }: Props) {
  const known = heads.map(each => (typeof each === "string" ? { shown: each } : each));
  return (
    <Heads value={known}>
      <div className="table-wrap as-cards" tabIndex={0} role="region" aria-label={label}>
        <table role="table" aria-label={label}>
          <thead role="rowgroup">
            <tr role="row">
              {known.map(each => (
                <th key={each.shown} role="columnheader" className={each.number ? "number" : undefined}>
                  {each.shown}
                </th>
              ))}
              {actions && <td role="cell" />}
            </tr>
          </thead>
          <tbody role="rowgroup">{children}</tbody>
        </table>
      </div>
    </Heads>
  );
}

/** The first cell names the row; what stands behind the last head, such as buttons, has none. */
export function Row({ cells, off = false }: { cells: readonly ReactNode[]; off?: boolean }) {
  const heads = useContext(Heads);
  return (
    <tr role="row" className={off ? "off" : undefined}>
      {cells.map((each, index) => (
        <td key={index} role="cell" data-label={heads[index]?.shown} className={classOf(heads[index], each)}>
          <div>{each}</div>
        </td>
      ))}
    </tr>
  );
}

function classOf(head: Head | undefined, cell: ReactNode): string | undefined {
  if (!head) return "buttons-cell";
  if (head.number) return "number";
  return cell === null || cell === undefined || cell === "" ? "empty-cell" : undefined;
}
