import { existsSync, readFileSync } from 'node:fs';
import { parseNodeUrl } from '../../src/chain/rpc/failures.ts';
import { ClientError } from '../../src/client/errors.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { PATHS } from '../../src/contract/routes.ts';
import type { MonitorSource } from '../../src/tui/app/source.ts';
import { startMonitor } from '../../src/tui/app/start.tsx';
import { Remembered } from '../../src/tui/data/remembered.ts';
import { SAMPLES } from './auto-txs/auto-tx-samples.ts';
import { ALERT } from './fake-alerts.ts';
import { autoTxView, fakeAutoTxs } from './fake-auto-txs.ts';
import { fakeGas, SNAPSHOT } from './fake-gas.ts';

/** Prices, trend and advice are of one block, as a service's are. */
const described = (changes: Parameters<typeof fakeGas>[0]) => {
  const client = fakeGas({
    description: async () => {
      const body = ['thresholdGwei', 'threshold'].map((name) => ({ name, values: [] }));
      return {
        ...{ title: null, version: null },
        routes: [{ method: 'post', path: PATHS.alerts, parameters: [], body }],
      };
    },
    statsCurrent: async () => {
      const [snapshot, trend, advice] = await Promise.all([
        client.gasCurrent(),
        client.gasTrend(),
        client.gasRecommendation(),
      ]);
      const at = snapshot.blockTimestamp ?? 0;
      return { snapshot, trend, recommendation: { ...advice, updatedAt: at, validUntil: at + 60_000 } };
    },
    ...changes,
  });
  return client;
};

const scene = process.env.SCENE ?? 'live';
const flag = process.env.DOWN_WHILE ?? '';

let block = SNAPSHOT.blockNumber ?? 0;
const moving = (): SnapshotView => {
  block += 1;
  const nudge = BigInt(block % 7) * 300_000n;
  return {
    ...SNAPSHOT,
    blockNumber: block,
    blockTimestamp: Date.now() - 2_000,
    baseFee: SNAPSHOT.baseFee + nudge,
    nextBaseFee: (SNAPSHOT.nextBaseFee ?? 0n) + nudge,
    gasUsedRatio: (block % 10) / 10,
  };
};

const refused = () =>
  new ClientError('unreachable', 'nothing answers at 127.0.0.1:8787 (connection refused)', {
    endpoint: '/gas/current',
  });
const keyRefused = () =>
  new ClientError('key', 'the service does not accept this key', { endpoint: '/gas/current', status: 401 });
const nodesDown = () =>
  new ClientError('unavailable', 'no node answers', {
    endpoint: '/gas/current',
    status: 503,
    details: [
      { path: 'ethereum-rpc.publicnode.com', message: 'name not found' },
      { path: 'eth.drpc.org', message: 'connection refused' },
      { path: 'eth.merkle.io', message: 'answered 429: too many requests' },
    ],
  });

const open: MonitorSource = {
  client: described({ gasCurrent: async () => moving() }),
  intervalMs: 1_000,
  clientOptions: { apiKey: process.env.SESSION_KEY ?? null },
};

const simulated: MonitorSource = {
  client: described({
    gasCurrent: async () => ({
      ...moving(),
      source: { ...SNAPSHOT.source, kind: 'simulated' as const, name: 'seed 1' },
    }),
  }),
  intervalMs: 1_000,
  badge: 'SIMULATED',
  chainName: 'demo',
};

async function connect(): Promise<MonitorSource> {
  switch (scene) {
    case 'picker':
      return { client: described({ gasCurrent: () => Promise.reject(nodesDown()) }), intervalMs: 1_000 };
    case 'still':
      return {
        client: described({ gasCurrent: async () => ({ ...SNAPSHOT, blockTimestamp: Date.now() - 4_000 }) }),
        intervalMs: 1_000,
      };
    case 'flaky':
      return {
        client: described({
          gasCurrent: async () => {
            if (existsSync(flag)) throw refused();
            return moving();
          },
        }),
        intervalMs: 500,
      };
    case 'key':
      return {
        client: described({ gasCurrent: () => Promise.reject(keyRefused()) }),
      };
    case 'alert':
      return {
        client: described({
          gasCurrent: async () => moving(),
          alerts: async () => {
            // Each byte in the file is one more time that it fired.
            const triggerCount = 2 + (existsSync(flag) ? readFileSync(flag).length : 0);
            const lastTriggeredAt = Date.now() - 3_600_000;
            const note = 'deploy\u001b]0;owned\u0007 it 🚀';
            return {
              items: [{ ...ALERT, channels: ['TERMINAL'], note, triggerCount, lastTriggeredAt }],
              total: 1,
              unreadable: 0,
            };
          },
        }),
        intervalMs: 500,
        embedded: {},
      };
    case 'auto-txs': {
      const count = Number(process.env.AUTO_TXS ?? '0');
      const many = Array.from({ length: count }, (_, place) =>
        autoTxView({ id: `tx-${place}`, nonce: place, target: BigInt(40_000_000 - place) }),
      );
      return {
        client: described({ gasCurrent: async () => moving(), ...fakeAutoTxs(count === 0 ? SAMPLES : many) }),
        intervalMs: 1_000,
        embedded: {},
      };
    }
    case 'render-error':
      return {
        client: described({
          // A shape no client of ours gives: the drawing itself breaks.
          gasTrend: async () => JSON.parse('{"baseFeeFan": 5}'),
        }),
      };
    case 'late-throw':
      setTimeout(() => {
        throw new Error('a timer broke');
      }, 500);
      return open;
    default:
      return open;
  }
}

const { code } = await startMonitor({
  connect,
  fullPath: (name) => `/home/user/${name}`,
  saveFile: async (name) => name,
  openSource: async (choice) => {
    if (choice === 'demo') return simulated;
    return choice === 'retry' ? connect() : open;
  },
  urlProblem: (text) => {
    try {
      parseNodeUrl(text);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  },
  remembered: new Remembered({ said: process.env.MOUSE === '1' ? { mouse: true } : {} }),
  ascii: process.env.ASCII === '1',
  notifications: { level: 'on', env: process.env },
  // A slow machine must not run out of it between two keys of a test.
  undoMs: 600_000,
});
process.exit(code);
