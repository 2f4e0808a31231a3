import { openReplaySource } from '../../../src/chain/replay-source.ts';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { ROUTE_GROUPS } from '../../../src/contract/routes.ts';
import { createKey, createKeyId, readKey, reissueKey } from '../../../src/service/keys/api-keys.ts';
import { SHORT_RECORDING } from '../../cli/served.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { startServedService } from '../../helpers/served-service.ts';

const NOW = Date.now();

const PLANS = {
  open: { dailyLimit: null, perSecond: null },
  spent: { dailyLimit: 0, perSecond: null },
  single: { dailyLimit: null, perSecond: 1 },
  ...Object.fromEntries(
    ROUTE_GROUPS.map((without) => [
      `no-${without}`,
      { dailyLimit: null, perSecond: null, groups: ROUTE_GROUPS.filter((group) => group !== without) },
    ]),
  ),
};

export type ServedChain = Awaited<ReturnType<typeof serveChain>>;

/** The whole service, keys and all, on a port, over the node at `url`, or over a recording. The gate's clock stands still. */
export async function serveChain(url: string | 'recording') {
  const node = url === 'recording' ? null : createRpcSource({ urls: [url], requestTimeoutMs: 60_000 });
  const source = node ?? (await openReplaySource({ file: SHORT_RECORDING, speed: 1 }));
  const database = await openDatabase(':memory:');
  const served = await startServedService({
    source,
    database,
    plans: PLANS,
    gateNow: () => NOW,
    logLevel: 'error',
  });
  const { origin, keys, errors, newKey } = served;
  const idOf = (text: string) => readKey(text)?.id ?? '';
  const makeBadKeys = async () => {
    const mistyped = await newKey('open');
    const revoked = await newKey('open');
    await keys.revoke(idOf(revoked), NOW / 1_000);
    const rotated = await newKey('open');
    await reissueKey(keys, idOf(rotated), NOW);
    return {
      'no key': '',
      'a mistyped key': `${mistyped.slice(0, -1)}${mistyped.endsWith('a') ? 'b' : 'a'}`,
      'an unknown key': createKey(createKeyId()).text,
      'a revoked key': revoked,
      'a rotated key': rotated,
    };
  };
  let bad: ReturnType<typeof makeBadKeys> | null = null;
  return {
    database,
    origin,
    errors,
    key: newKey,
    /** Keys that a service must turn away, by what is wrong with them; '' is no key. */
    badKeys: (): Promise<Readonly<Record<string, string>>> => (bad ??= makeBadKeys()),
    stop: async () => {
      await served.stop();
      node?.close();
    },
  };
}
