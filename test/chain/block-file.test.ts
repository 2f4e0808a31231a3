import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBlock, encodeHeader, readBlockFile, recordedChainId } from '../../src/chain/block-file.ts';
import { ChainError } from '../../src/chain/chain-source.ts';
import type { Block, Hex } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE, nextBaseFeeFromRatio } from '../../src/core/eip1559.ts';
import { BARE_BLOCK } from '../helpers/chain-blocks.ts';
import { rounds } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';

const RECORDED = new URL(
  '../fixtures/blocks/mainnet_2024-10-15_2001blocks_basefee_blobfee.csv',
  import.meta.url,
).pathname;

let files = 0;
const folder = sharedFolder('blocks');

async function save(content: string | Uint8Array, name = `blocks-${files++}`): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function read(path: string): Promise<Block[]> {
  const all: Block[] = [];
  for await (const block of readBlockFile(path)) all.push(block);
  return all;
}

async function failure(path: string): Promise<string> {
  const error = await read(path).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ChainError);
  if (!(error instanceof ChainError)) throw new Error('read without an error');
  expect(error.code).toBe('bad-file');
  expect(error.message).not.toMatch(/[\n\r\u001b]/);
  expect(error.message).not.toContain(folder);
  return error.message;
}

const wei = fc.bigInt({ min: 0n, max: BigInt(Number.MAX_SAFE_INTEGER) });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const hex = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const tips = fc
  .tuple(wei, wei, wei, wei, wei, wei, wei)
  .map((ladder) => ladder.sort((a, b) => (a < b ? -1 : 1)));
const blocks = fc
  .array(
    fc.record({
      hash: maybe(hex),
      parentHash: fc.constant(null),
      baseFeePerGas: wei,
      gasUsed: maybe(wei),
      gasLimit: maybe(wei),
      gasUsedRatio: fc.double({ min: 0, max: 1, noNaN: true }).map((ratio) => ratio + 0),
      blobBaseFee: maybe(wei),
      nextBaseFee: maybe(wei),
      nextBlobBaseFee: maybe(wei),
      tips: maybe(tips),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((each): Block[] =>
    each.map((block, i) => ({ number: 7 + i, timestamp: 1_700_000_000 + 12 * i, ...block })),
  );

const block: Block = {
  number: 1,
  hash: null,
  parentHash: null,
  timestamp: 1_700_000_000,
  baseFeePerGas: 41_200_000n,
  gasUsed: 30_000_000n,
  gasLimit: 60_000_000n,
  gasUsedRatio: 0.5,
  blobBaseFee: 1n,
  nextBaseFee: null,
  nextBlobBaseFee: 1n,
  tips: [1n, 2n, 3n, 4n, 5n, 6n, 7n],
};
const recording = (...lines: (Partial<Record<keyof Block, unknown>> | string)[]) =>
  encodeHeader(1) +
  lines
    .map((line, i) =>
      typeof line === 'string'
        ? `${line}\n`
        : `${JSON.stringify({ ...JSON.parse(encodeBlock({ ...block, number: 1 + i })), ...line })}\n`,
    )
    .join('');

describe('a recording in JSON Lines', () => {
  it('gives back every block that was written', async () => {
    await fc.assert(
      fc.asyncProperty(blocks, async (written) => {
        const path = await save(encodeHeader(5) + written.map(encodeBlock).join(''), 'round-trip.jsonl');
        expect(await read(path)).toEqual(written);
      }),
      { numRuns: rounds(60) },
    );
  });

  it('says its chain', async () => {
    const path = await save(encodeHeader(8453) + encodeBlock(block));
    expect(await recordedChainId(path)).toBe(8453);
  });

  it('may carry wei as integers and leave out what is unknown', async () => {
    const line = { number: 3, timestamp: 5, baseFeePerGas: 7, gasUsedRatio: 0.25 };
    const path = await save(`${encodeHeader(1)}${JSON.stringify(line)}\n`);
    expect(await read(path)).toEqual([
      {
        ...BARE_BLOCK,
        ...line,
        baseFeePerGas: 7n,
      },
    ]);
  });

  it.each([
    ['falling', [7, 6, 5, 4, 3, 2, 1], [1n, 2n, 3n, 4n, 5n, 6n, 7n]],
    ['mixed', ['317', '317', '2', '2', '4', '4', '4'], [2n, 2n, 4n, 4n, 4n, 317n, 317n]],
    ['partly unknown', ['9', null, '2', '3', '4', '5', '6'], [2n, null, 3n, 4n, 5n, 6n, 9n]],
    ['all unknown', Array(7).fill(null), null],
  ])('may have tips that are %s: what is known is sorted', async (_, tips, sorted) => {
    const [only] = await read(await save(recording({ tips })));
    expect(only?.tips).toEqual(sorted);
  });

  it('loses only the line that was being written when the recorder died', async () => {
    const whole = recording({}, {}, {});
    const path = await save(whole.slice(0, -40));
    expect((await read(path)).map(({ number }) => number)).toEqual([1, 2]);
  });

  it('may be compressed, under any name', async () => {
    const path = await save(gzipSync(recording({}, {})));
    expect(await read(path)).toHaveLength(2);
  });

  it('may have CR LF, a byte order mark and blank lines', async () => {
    const path = await save(`\ufeff${recording({}, {}).replaceAll('\n', '\r\n\r\n')}`);
    expect(await read(path)).toHaveLength(2);
  });

  it.each([
    ['a repeated block', recording({}, { number: 1 }), 'line 3: repeats block 1'],
    ['blocks out of order', recording({ number: 9 }, { number: 8 }), 'line 3: goes back from block 9 to 8'],
    ['a block older than its parent', recording({}, { timestamp: 4 }), 'line 3: block 2 is older'],
    [
      'a block of another branch',
      recording({ hash: `0x${'a'.repeat(64)}` }, { parentHash: `0x${'b'.repeat(64)}` }),
      'line 3: block 2 is no child of the one before it',
    ],
    [
      'a missing base fee',
      recording({ baseFeePerGas: undefined }),
      'line 2: baseFeePerGas must be a whole number',
    ],
    [
      'a fractional base fee',
      recording({ baseFeePerGas: 1.5 }),
      'line 2: baseFeePerGas must be a whole number',
    ],
    [
      'a negative base fee',
      recording({ baseFeePerGas: '-5' }),
      'line 2: baseFeePerGas must be a whole number',
    ],
    ['a base fee past 2^53', recording({ baseFeePerGas: '9007199254740992' }), 'baseFeePerGas must be'],
    [
      'milliseconds for seconds',
      recording({ timestamp: 1_700_000_000_000 }),
      'timestamp must be Unix seconds',
    ],
    ['too full a block', recording({ gasUsedRatio: 1.1 }), 'gasUsedRatio must be 0 to 1'],
    ['six tips', recording({ tips: ['1', '2', '3', '4', '5', '6'] }), 'line 2: tips'],
    ['a short hash', recording({ hash: '0xabc' }), 'line 2: hash must be 0x and 64'],
    ['a line that is no JSON', recording('{nope', {}), 'line 2: is not JSON ("{nope"); correct the line'],
    ['a line that is a list', recording('[1]', {}), 'line 2: the line is wrong'],
    ['no header line', encodeBlock(block), 'line 1: format must be "gastop-blocks"; start the file with'],
    [
      'a newer format',
      '{"format":"gastop-blocks","version":2,"chainId":1}\n',
      'version must be 1; a newer gastop',
    ],
  ])('refuses %s', async (_what, content, message) => {
    expect(await failure(await save(content))).toContain(message);
  });

  it('cleans what it quotes', async () => {
    const message = await failure(await save(recording(`{\u001b[2J\u0007${'x'.repeat(500)}`, {})));
    expect(message).not.toMatch(/[\u0000-\u001f]/);
    expect(message.length).toBeLessThan(200);
  });
});

const csv = (...rows: string[]) => `block_number,timestamp,base_fee_wei\n${rows.join('\n')}\n`;

describe('a recording in CSV', () => {
  it('is read whole: 2,001 blocks of mainnet', async () => {
    expect(await recordedChainId(RECORDED)).toBe(1);
    const all = await read(RECORDED);
    expect(all).toHaveLength(2_001);
    expect([all[0]?.number, all.at(-1)?.number]).toEqual([20_973_164, 20_975_164]);
    expect(all[0]).toMatchObject({ blobBaseFee: 23n, nextBlobBaseFee: 24n });
  });

  it('gets the gas used by inverting EIP-1559, so that the formula leads to the next row', async () => {
    const all = await read(RECORDED);
    for (const [i, { baseFeePerGas, gasUsedRatio, nextBaseFee }] of all.slice(0, -1).entries()) {
      expect(nextBaseFee).toBe(all[i + 1]?.baseFeePerGas);
      expect(nextBaseFeeFromRatio(baseFeePerGas, gasUsedRatio, ETHEREUM_FEE_RULE)).toBe(nextBaseFee);
    }
    expect(all.at(-1)).toMatchObject({ nextBaseFee: null, nextBlobBaseFee: null, gasUsedRatio: 0.5 });
  });

  it('takes nothing else of the next row: what comes after it changes nothing', async () => {
    const rows = ['1,100,1000', '2,112,1100', '3,124,1050'];
    const [first] = await read(await save(csv(...rows)));
    const [same] = await read(await save(csv('1,100,1000', '2,999,1100', '3,1000,77')));
    expect(same).toEqual(first);
  });

  it('may have gaps; what follows one says nothing of the block before it', async () => {
    const path = await save(csv('1,100,1000', '2,112,1100', '9,224,1050', '10,236,1050'));
    const [, before] = await read(path);
    expect(before).toMatchObject({ number: 2, nextBaseFee: null, gasUsedRatio: 0.5 });
  });

  it('goes by the formula where gas is given', async () => {
    const path = await save(
      'block_number,timestamp,base_fee_wei,gas_used,gas_limit\n1,5,100,15,60\n2,17,200,30,60\n',
    );
    const [first] = await read(path);
    expect(first).toMatchObject({ gasUsed: 15n, gasLimit: 60n, gasUsedRatio: 0.25, nextBaseFee: null });
  });

  it('knows the headings of published files, quotes, CR LF, a byte order mark and columns of its own', async () => {
    const path = await save(
      '\ufeff"block_number","timestamp_utc_est",note,"base_fee_wei",gas_used_ratio_derived\r\n1,5,x,100.0,0.75\r\n',
    );
    expect(await read(path)).toEqual([
      {
        ...BARE_BLOCK,
        number: 1,
        timestamp: 5,
        baseFeePerGas: 100n,
        gasUsedRatio: 0.75,
      },
    ]);
  });

  it('may be compressed', async () => {
    expect(await read(await save(gzipSync(csv('1,5,100')), 'blocks.csv.gz'))).toHaveLength(1);
  });

  it.each([
    ['a repeated row', csv('1,5,100', '1,5,100'), 'line 3: repeats block 1'],
    ['a word for a number', csv('1,5,abc'), 'line 2: baseFeePerGas must be a whole number'],
    ['gwei for wei', csv('1,5,12.5'), 'baseFeePerGas must be a whole number'],
    ['a word for a block', csv('one,5,100'), 'line 2: number must be a whole number; correct the row'],
    ['an empty base fee', csv('1,5,'), 'baseFeePerGas must be a whole number'],
    ['milliseconds', csv('1,1700000000000,9'), 'timestamp must be Unix seconds'],
    ['a short row', csv('1,5'), 'line 2: has 2 columns where the heading has 3'],
    [
      'a missing column',
      'block_number,timestamp\n1,5\n',
      'CSV with block_number,timestamp,base_fee_wei; give',
    ],
    [
      'more gas used than allowed',
      'block_number,timestamp,base_fee_wei,gas_used,gas_limit\n1,5,9,61,60\n',
      'gasUsedRatio must be 0 to 1',
    ],
  ])('refuses %s', async (_what, content, message) => {
    expect(await failure(await save(content))).toContain(message);
  });
});

describe('a file that is no recording', () => {
  it.each([
    ['an empty file', '', 'holds no blocks'],
    ['blank lines only', '\n\n\r\n', 'holds no blocks'],
    ['prose', 'hello\nworld\n', 'line 1: is neither JSON Lines of `gastop record` nor CSV with block_number'],
    ['binary bytes', Buffer.from([0xff, 0xfe, 0, 1, 2, 10]), 'line 1: is neither'],
    ['zero bytes', Buffer.alloc(1_000), 'line 1: is neither'],
    ['a damaged archive', Buffer.from([0x1f, 0x8b, 1, 2, 3]), 'compressed data is damaged'],
    ['half an archive', gzipSync(csv('1,5,100')).subarray(0, 30), 'compressed data ends early'],
    ['one endless line', 'x'.repeat(1_000_000), 'line 1: is longer than 65536 characters'],
    ['an endless line further down', `${csv('1,5,100')}${'9'.repeat(200_000)}`, 'line 3: is longer than'],
    ['an archive that unpacks to an endless line', gzipSync(Buffer.alloc(50_000_000, 97)), 'is longer than'],
  ])('is refused: %s', async (_what, content, message) => {
    expect(await failure(await save(content))).toContain(message);
  });

  it('is refused with a heading but no rows', async () => {
    const path = await save(csv());
    expect(await failure(path)).toContain('holds no blocks; record some with');
  });

  it('is refused where it does not exist or is a folder', async () => {
    expect(await failure(join(folder, 'missing.csv'))).toBe(
      'missing.csv: there is no such file; check the path',
    );
    expect(await failure(folder)).toContain('is a folder');
  });

  it('never gives anything but blocks or one clean line, whatever the bytes', async () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    const mutated = fc
      .tuple(fc.constantFrom(recording({}, {}), csv('1,5,100', '2,9,101')), fc.nat(), fc.nat(255))
      .map(([text, at, byte]) => {
        const copy = Buffer.from(text);
        copy[at % copy.length] = byte;
        return copy;
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(bytes, mutated), async (content) => {
        const path = await save(content, 'fuzz');
        const result = await read(path).catch((error: unknown) => error);
        if (Array.isArray(result)) return;
        expect(result).toBeInstanceOf(ChainError);
        expect(String(result)).not.toMatch(/[\u0000-\u001f\u007f]/);
      }),
      { numRuns: rounds(300) },
    );
  });
});
