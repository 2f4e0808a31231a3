import type { ChainSource } from '../../chain/chain-source.ts';

export interface News {
  readonly isWell: boolean;
  readonly message: string;
}

/** Tells once when the source, or one of its nodes, fails or recovers. */
export function sourceNews(
  source: Pick<ChainSource, 'kind' | 'name' | 'health'>,
  tell: (news: News) => void,
) {
  /** Nodes by their index: two may have the same name. */
  const away = new Set<number | 'source'>();
  const note = (who: number | 'source', isAway: boolean, message: string) => {
    if (isAway === away.has(who)) return;
    if (isAway) away.add(who);
    else away.delete(who);
    tell({ isWell: !isAway, message });
  };
  const told = new Set<string>();
  const look = () => {
    const nodes = source.kind === 'rpc' ? source.health() : [];
    for (const line of nodes.flatMap(({ name, notes = [] }) =>
      notes.map((note) => `node ${name}: ${note}`),
    )) {
      if (!told.has(line)) tell({ isWell: false, message: line });
      told.add(line);
    }
    if (nodes.length < 2) return;
    for (const [place, { name, state, message }] of nodes.entries()) {
      const isAway = state === 'down' || state === 'wrong-chain';
      note(place, isAway, `node ${name} can${isAway ? 'not be used' : ' be used again'}: ${message}`);
    }
  };
  return {
    look,
    failed: () => away.add('source'),
    down: (reason: string) => {
      look();
      note('source', true, `no blocks come: ${reason}; it is asked again by itself`);
    },
    up: () => {
      look();
      note('source', false, `blocks come again from ${source.name}`);
    },
  };
}
