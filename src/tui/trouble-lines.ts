import { displayWidth } from './components/fit.ts';
import { wrapText } from './wrap-text.ts';

/** What one node, or several alike, is in trouble with. `name` is set off from the rest. */
export interface TroubleLine {
  readonly name: string;
  readonly text: string;
}

interface Trouble {
  readonly path: string;
  readonly message: string;
}

const GAP = 2;

/**
 * What is wrong with each node, in lines of at most `width` columns: a reason that several share is said once, under
 * their names. Of more nodes than `room` lines hold the rest is counted.
 */
export function troubleLines(
  troubles: readonly Trouble[],
  { width, room, ellipsis }: { readonly width: number; readonly room: number; readonly ellipsis: string },
): readonly TroubleLine[] {
  const alike = new Map<string, string[]>();
  for (const { path, message } of troubles) alike.set(message, [...(alike.get(message) ?? []), path]);
  const singles = [...alike].flatMap(([, paths]) => (paths.length === 1 ? paths : []));
  const named = Math.max(0, ...singles.map(displayWidth));
  return [...alike].flatMap(([message, paths], place) => {
    const left = Math.max(Math.floor(room / alike.size) + (place < room % alike.size ? 1 : 0), 1);
    const [only = ''] = paths;
    if (paths.length === 1 && named + GAP + displayWidth(message) <= width) {
      return [{ name: only.padEnd(only.length + named - displayWidth(only) + GAP), text: message }];
    }
    const said = wrapText(
      paths.length === 1 ? message : `each: ${message}`,
      width - GAP,
      Math.max(left - 1, 1),
      ellipsis,
    );
    const most = Math.max(left - said.length, 1);
    const shown = paths.length > most ? paths.slice(0, Math.max(most - 1, 0)) : paths;
    const more = paths.length - shown.length;
    return [
      ...shown.flatMap((path) => wrapText(path, width, 1, ellipsis).map((name) => ({ name, text: '' }))),
      ...(more > 0
        ? [
            {
              name: '',
              text: `${shown.length === 0 ? '' : 'and '}${more} ${shown.length === 0 ? 'nodes' : 'more'}`,
            },
          ]
        : []),
      ...said.map((text) => ({ name: '', text: `${' '.repeat(GAP)}${text}` })),
    ];
  });
}
