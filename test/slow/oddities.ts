/** What nodes of the field answer that they should not, each by its name. */
import { gzipSync } from 'node:zlib';

export interface Oddity {
  readonly name: string;
  /** Which of the two nodes has it. */
  readonly at: 'ws' | 'http' | 'both';
  /** Another result than the right one; `undefined` leaves that one. */
  readonly changes?: (method: string, result: unknown, params: readonly unknown[]) => unknown;
  readonly fails?: (method: string) => { readonly code: number; readonly message: string } | null;
  readonly overHttp?: (answer: object) => {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: string | Buffer;
  };
  readonly handshake?: { readonly status: number; readonly words: string };
  readonly closes?: { readonly code: number; readonly reason: string };
  readonly subscription?: string | number;
  readonly isSilent?: true;
  readonly losesId?: true;
  readonly isUnpaid?: true;
  readonly skipsHeights?: true;
  readonly hidesPricePaid?: true;
}

interface History {
  readonly oldestBlock: string;
  readonly baseFeePerGas: readonly unknown[];
  readonly gasUsedRatio: readonly unknown[];
  readonly reward: readonly (readonly unknown[])[];
}

/** Of both nodes: what the field's word for a page of fees is turned into. */
const history = (name: string, turned: (page: History) => object): Oddity => ({
  name,
  at: 'both',
  changes: (method, result) => (method === 'eth_feeHistory' ? turned(result as History) : undefined),
});

const eachReward = (name: string, turned: (row: readonly unknown[]) => unknown): Oddity =>
  history(name, (page) => ({ ...page, reward: page.reward.map(turned) }));

const limited = (name: string, at: Oddity['at'], code: number, message: string): Oddity => ({
  ...{ name, at },
  fails: () => ({ code, message }),
});

const forecast = (name: string, turned: (fee: bigint) => bigint): Oddity =>
  history(name, (page) => {
    const next = turned(BigInt(String(page.baseFeePerGas.at(-2))));
    return { ...page, baseFeePerGas: [...page.baseFeePerGas.slice(0, -1), `0x${next.toString(16)}`] };
  });

const MOST = `0x${(2n ** 256n - 1n).toString(16)}`;
const TOO_MANY = 'Too Many Requests';

/** The two forecasts stand where a price that is too low for some blocks crosses nothing: where the wave is at its lowest. */
export const ODDITIES: readonly Oddity[] = [
  eachReward('a reward below 0', (row) => ['-0x5f5e100', ...row.slice(1)]),
  eachReward('null among rewards', (row) => [...row.slice(0, 3), null, ...row.slice(4)]),
  eachReward('rewards near 2^256', (row) => row.map(() => MOST)),
  history('no ratios', ({ gasUsedRatio: _, ...page }) => page),
  eachReward('rewards not sorted', (row) => row.toReversed()),
  history('no rewards', (page) => ({ ...page, reward: page.reward.map(() => null) })),
  history('a base fee too few', (page) => ({ ...page, baseFeePerGas: page.baseFeePerGas.slice(0, -1) })),
  history('a row of rewards too few', (page) => ({ ...page, reward: page.reward.slice(1) })),
  forecast('a forecast an eighth too low', (fee) => (fee * 7n) / 8n),
  history('a ratio too many', (page) => ({ ...page, gasUsedRatio: [...page.gasUsedRatio, 0.5] })),
  { name: 'only unpaid transactions', at: 'both', isUnpaid: true },
  { name: 'no price in receipts', at: 'both', hidesPricePaid: true },
  { name: 'null rounds', at: 'both', skipsHeights: true },
  limited('-32012, credits', 'http', -32012, 'credits limited to 6000/sec'),
  limited('-32007, requests', 'ws', -32007, '50/second request limit reached'),
  limited('-32005, daily', 'http', -32005, 'daily request count exceeded, request rate limited'),
  forecast('a forecast of 0', () => 0n),
  {
    ...{ name: 'a limit with HTTP 200', at: 'http' },
    overHttp: () => ({ body: JSON.stringify({ status: 429, message: 'rate limit exceeded, slow down' }) }),
  },
  {
    ...{ name: 'HTTP 429', at: 'http' },
    overHttp: () => ({ status: 429, headers: { 'retry-after': '2' }, body: TOO_MANY }),
  },
  { name: 'silent newHeads', at: 'ws', isSilent: true },
  { name: 'a handshake refused', at: 'ws', handshake: { status: 429, words: TOO_MANY } },
  {
    ...{ name: 'an error without its id', at: 'ws', losesId: true },
    fails: () => ({ code: -32005, message: 'daily request count exceeded, request rate limited' }),
  },
  {
    ...{ name: 'closed with a reason', at: 'ws' },
    closes: { code: 1008, reason: 'WebSocket connection limit exceeded' },
  },
  { name: 'a number as subscription', at: 'ws', subscription: 7 },
  {
    ...{ name: 'syncing at block 0', at: 'http' },
    changes: (method, result, [tag]) => {
      if (method === 'eth_syncing')
        return { startingBlock: '0x0', currentBlock: '0x0', highestBlock: '0x1c0' };
      if (method === 'eth_blockNumber') return '0x0';
      if (method !== 'eth_getBlockByNumber' || tag !== 'latest') return undefined;
      return { ...(result as object), number: '0x0', hash: `0x${'0'.repeat(64)}`, timestamp: '0x0' };
    },
  },
  {
    ...{ name: 'gzip that is cut', at: 'http' },
    overHttp: (answer) => {
      const whole = gzipSync(JSON.stringify(answer));
      return { headers: { 'content-encoding': 'gzip' }, body: whole.subarray(0, whole.length >> 1) };
    },
  },
];
