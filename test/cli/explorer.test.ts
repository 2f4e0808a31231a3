import { describe, expect, it } from 'vitest';
import { OWN_SNAPSHOT } from '../client/own-answers.ts';
import { runMain } from './captured-io.ts';
import { serveAnswers } from './doctor-services.ts';
import { BLOCK, HASH, TX, WAITING_TX } from './explorer-answers.ts';
import { SHORT_RECORDING } from './served.ts';

let origin = '';
let asked: readonly string[] = [];

async function run(argv: readonly string[], serving: Record<string, unknown>) {
  ({ url: origin, asked } = await serveAnswers(serving));
  return runMain(['--url', origin, ...argv]);
}

const LIVE = {
  ...OWN_SNAPSHOT,
  chainId: 1,
  nativeUsd: 3_000,
  source: {
    ...{ kind: 'rpc', name: 'a.example', problem: null, ended: false },
    ...{ chainName: 'Ethereum', restartedAt: null },
  },
};
const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

describe('block', () => {
  it('shows the fees, tips, fullness, blobs and burnt coins of a block, 80 columns wide at most', async () => {
    const { exitCode, stdout, stderr } = await run(['block', '24337604'], {
      '/metrics/block/24337604': BLOCK,
      '/gas/current': LIVE,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.replace(/, \S+ ago/, ', AGE ago')).toBe(
      `Ethereum  #24,337,604

time          2026-01-20 12:00:00 UTC, AGE ago
confirmed     3 confirmations, final after 12
hash          ${BLOCK.hash}
parent        ${BLOCK.parentHash}
base fee      0.0508 gwei
next base     0.0497 gwei (−2.2 %)
full          ██████████████░░░░░░  68 %
gas used      24,480,000 of 36,000,000
transactions  212
blob fee      0.000000001 gwei, next 0.000000002
blobs         3  (393,216 blob gas, excess 0)
burnt         0.00124 ETH  $3.73
fees go to    ${BLOCK.feeRecipient}
tips, gwei    p10 0.00100  p25 0.00200  p50 0.0100  p75 0.0210  p90 0.100
              p95 0.500  p99 2.00
`,
    );
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  it('without a number is the latest, which may have burnt nothing', async () => {
    const { exitCode, stdout } = await run(['block'], {
      '/metrics/block/latest': { ...BLOCK, burntWei: '0' },
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('#24,337,604');
    expect(stdout).toMatch(/^burnt +0 ETH$/m);
  });

  it.each(['24,337,604', '24_337_604', '0x1735cc4', '#24337604'])('takes a number as %s', async (number) => {
    const { exitCode } = await run(['block', number], { '/metrics/block/24337604': BLOCK });
    expect(exitCode).toBe(0);
  });

  it('of a service in other spellings and in gwei is read all the same, clean of escapes', async () => {
    const foreign = {
      data: {
        block_number: '7',
        baseFeePerGasGwei: 12.5,
        transactionCount: 3,
        fee_recipient: `\u001b[31m${TX.from}\u0007`,
      },
    };
    const { exitCode, stdout } = await run(['block', '7'], { '/metrics/block/7': foreign });
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`#7\n\nbase fee      12.5 gwei\ntransactions  3\nfees go to    ${TX.from}\n`);
  });

  it('with --json is the answer as it is, for one question', async () => {
    const { stdout } = await run(['block', '24337604', '--json'], { '/metrics/block/24337604': BLOCK });
    expect(stdout).toBe(`${JSON.stringify(BLOCK)}\n`);
    expect(asked).toEqual(['/metrics/block/24337604']);
  });
});

describe('tx', () => {
  it('shows what it paid and where its tip stood, 80 columns wide at most', async () => {
    const { exitCode, stdout, stderr } = await run(['tx', HASH], {
      [`/metrics/tx/${HASH}`]: TX,
      '/gas/current': LIVE,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.replace(/, \S+ ago/, ', AGE ago')).toBe(
      `Ethereum  transaction

hash          ${HASH}
status        success, 3 confirmations, final after 12
block         #24,337,604, transaction 18 of 212
time          2026-01-20 12:00:00 UTC, AGE ago
type          EIP-1559
from          ${TX.from}
to            ${TX.to}
call          0xa9059cbb
value         1.00 ETH  $3,000.00
nonce         7
gas           52,000 of 65,000 used (80 %)
max fee       0.100 gwei
max tip       0.0100 gwei
paid          0.0608 gwei per gas, of it 0.0100 tip
cost          0.00000316 ETH  $0.010
tip rank      below 58 % of its block's 211 others, ties counted half
`,
    );
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  it('that waits in the pool has no block, cost or rank', async () => {
    const unknown =
      'to gasUsed effectiveGasPrice priorityFeePerGas costWei costUsd blockNumber blockHash timestamp transactionIndex tipRank blockTransactionCount'.split(
        ' ',
      );
    const none = Object.fromEntries(unknown.map((name) => [name, null]));
    const waiting = { ...TX, ...none, status: 'PENDING', confirmations: 0 };
    const { stdout } = await run(['tx', HASH], { [`/metrics/tx/${HASH}`]: waiting });
    expect(stdout).toContain('status        waits in the pool\n');
    expect(stdout).toContain('to            none: it creates a contract\n');
    expect(stdout).not.toMatch(/^(block|time|paid|cost|tip rank) /m);
  });

  it('that is stuck says why, how likely it is included, and every number to sign, in 80 columns', async () => {
    const { stdout } = await run(['tx', HASH], { [`/metrics/tx/${HASH}`]: WAITING_TX, '/gas/current': LIVE });
    const text = stdout.replaceAll(/\n {14}/g, ' ');
    expect(text).toContain(
      'waits         its max fee of 0.100 gwei is below the next base fee of 0.140 gwei',
    );
    expect(text).toContain('1 of 2 nodes has it in the pool');
    expect(text).toContain('as it is      12 % within 10m, 61 % within 1h');
    expect(text).toContain(
      'replace       sign it again: nonce 7, max fee 0.110000001 gwei, max tip 0.02108 gwei, gas limit 65,000;',
    );
    expect(text).toContain('cancel        sign 0 to yourself: nonce 7, max fee 0.110000001 gwei');
    expect(text).toMatch(
      /gas limit 21,000; at most 0\.00000231 ETH \(\$[\d.]+\); .*balance lacks 0\.00000100 ETH; for Besu/,
    );
    expect(text).toContain('pools take    geth 0.11 / 0.011 gwei (max fee / tip)');
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  it.each(['fast', 'slow'])('asks for the replacement of the %s lane where that is chosen', async (lane) => {
    await run(['tx', HASH, '--lane', lane], { [`/metrics/tx/${HASH}`]: WAITING_TX });
    // This service lists no parameters: it is asked as v1 has it.
    expect(asked).toContain(`/metrics/tx/${HASH}`);
  });

  it('takes a hash in capitals and with --json prints the answer as it is', async () => {
    const capitals = `0x${HASH.slice(2).toUpperCase()}`;
    const { stdout } = await run(['tx', capitals, '--json'], { [`/metrics/tx/${HASH}`]: TX });
    expect(JSON.parse(stdout)).toEqual(TX);
    expect(asked).toEqual([`/metrics/tx/${HASH}`]);
  });
});

describe('one line and an exit code of its own for', () => {
  const usage: [string, string[], string][] = [
    ['a block in words', ['block', 'newest'], 'write 24337604, 0x1735cc4 or latest'],
    ['a negative block', ['block', '--', '-1'], 'is not a block number'],
    ['half a block', ['block', '1.5'], 'is not a block number'],
    ['a block beyond all numbers', ['block', '99999999999999999'], 'is not a block number'],
    ['a block with an escape sequence', ['block', '\u001b[2J'], 'is not a block number'],
    ['no hash', ['tx'], 'missing required argument'],
    ['a hash for a block', ['block', HASH], 'is not a block number: it is a transaction hash'],
    ['a block for a hash', ['tx', '24,337,604'], 'gastop block looks up blocks'],
    ['a grouped number that is none', ['block', '24,33'], 'type a block (24,337,604)'],
    ['an address', ['tx', `0x${'ab'.repeat(20)}`], 'this is an address'],
    ['half a hash', ['tx', '0xab'], '64 hexadecimal digits'],
    ['a novel', ['tx', 'x'.repeat(9_000)], 'is not a transaction hash'],
  ];
  it.each(usage)('%s: exit 2, and nothing is asked', async (_title, argv, says) => {
    const { exitCode, stdout, stderr } = await run(argv, {});
    expect({ exitCode, stdout, asked }).toEqual({ exitCode: 2, stdout: '', asked: [] });
    expect(stderr).toMatch(/^gastop: [^\n\u001b]+\n$/);
    expect(stderr).toContain(says);
    expect(stderr.length).toBeLessThan(300);
  });

  it.each([
    [['block', '99999999'], 'no such route'],
    [['tx', HASH], 'no such route'],
  ])('%s that is not there: exit 1', async (argv, says) => {
    for (const form of [[], ['--json']]) {
      const { exitCode, stdout, stderr } = await run([...argv, ...form], {});
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(/^gastop: [^\n]+\n$/);
      expect(stderr).toContain(says);
    }
  });

  it('a transaction that a simulation or a recording does not have: exit 1', async () => {
    for (const source of [
      ['--demo', '--history', '1h'],
      ['--replay', SHORT_RECORDING],
    ]) {
      const { exitCode, stdout, stderr } = await runMain(['tx', HASH, ...source]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(/^gastop: [^\n]+\n$/);
    }
  });
});
