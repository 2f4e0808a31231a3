import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { GASTOP, gastop } from '../helpers/gastop.ts';
import { slowIt } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { type Captured, runMain } from './captured-io.ts';
import { RECORDING } from './served.ts';

const folder = sharedFolder('backtest');
const at = (name: string): string => join(folder, name);

const rows = readFileSync(RECORDING, 'utf8').trim().split('\n');
const [heading = '', ...blocks] = rows;
function shortRecording(name: string, count: number): string {
  writeFileSync(at(name), [heading, ...blocks.slice(0, count)].join('\n'));
  return at(name);
}

const PEERS = ['geth', 'viem', 'MetaMask', 'Blockscout'];
const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

describe('gastop backtest', () => {
  let whole: Captured;
  let short: string;
  let shortJson: Captured;
  beforeAll(async () => {
    whole = await runMain(['backtest', shortRecording('whole.csv', 700)]);
    short = shortRecording('short.csv', 400);
    shortJson = await runMain(['backtest', short, '--json']);
  });

  it('says what was walked, and scores every rule per lane in 80 columns', () => {
    expect({ exitCode: whole.exitCode, stderr: whole.stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(whole.stdout).toContain('700 of Ethereum: 20,973,164 to 20,973,863');
    expect(whole.stdout).toContain('2024-10-15 19:50 to 2024-10-15 22:11 UTC (2h20m)');
    expect(whole.stdout).toContain('9.27 to 21.5 gwei, median 15.2');
    expect(whole.stdout).toMatch(/tips +unknown: 0 for everybody/);
    expect(whole.stdout).toMatch(/gas used +derived from the base fees/);
    expect(widest(whole.stdout)).toBeLessThanOrEqual(80);
    for (const lane of ['Fast: in within 2 blocks, 99 %', 'Average: in within 3', 'Slow: in within 25']) {
      const table = whole.stdout.slice(whole.stdout.indexOf(lane)).split('\n').slice(1);
      expect(table[0]).toMatch(/^rule +kept +stated +saving +cap above paid +if late +pinball$/);
      expect(table[1]).toMatch(/^gastop +[\d.]+ % +[\d.]+ % /);
      expect(table.slice(2, 6).map((line) => line.split(' ')[0])).toEqual(PEERS);
    }
    expect(whole.stdout).toMatch(/^naive rule .*\nperfect foresight/m);
    expect(whole.stdout).toMatch(/^5m +[\d,]+ +[\d.]+ % +[\d.]+ % /m);
    expect(whole.stdout).toMatch(/^With 5m of patience, over \d+ arrivals$/m);
    expect(whole.stdout).toMatch(/^low-quantile rule +[\d.−]+ % +[\d.]+ % +[\d.]+ % +\S+ %$/m);
    expect(whole.stdout).toMatch(/^not judged: .*1d; no probability was stated, or its time was not over$/m);
    expect(whole.stdout).not.toMatch(/NaN|Infinity|undefined|\u001b/);
  });

  it.each(['a', "b'c", 'long'.repeat(20)])('names %s for pasting the line, if it fits', async (name) => {
    const path = shortRecording(name, 200);
    const line = (file: string) => `  gastop backtest ${file} --predictions OUT.jsonl`;
    const own = line(name === "b'c" ? `'${path.replace("'", "'\\''")}'` : path);
    const { stdout } = await runMain(['backtest', path, '--lanes']);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(own.length > 80 ? line('FILE') : own);
  });

  it('--json has all of it as one object', () => {
    const answer = JSON.parse(shortJson.stdout);
    expect(Object.keys(answer).join(' ')).toBe(
      'file chainId stretch judged lanes horizons unjudgedHorizons waits patience',
    );
    expect(answer.chainId).toBe(1);
    expect(answer.stretch).toEqual({
      firstBlock: 20_973_164,
      lastBlock: 20_973_563,
      blocks: 400,
      gaps: 0,
      baseFee: { lowest: 12_416_775_109, median: 17_748_516_734, highest: 21_493_716_770 },
      gasUsed: 'derived',
      firstTime: '2024-10-15T19:50:59.000Z',
      lastTime: '2024-10-15T21:11:35.000Z',
      blocksWithTips: 0,
    });
    for (const lane of answer.lanes.slice(0, 2)) {
      expect(Object.keys(lane.rules[0]).join(' ')).toBe(
        'rule kind judged kept keptLate survived saving overhang pinball',
      );
    }
  });

  slowIt('--lanes and --horizons show that part, both show both; --ascii has ASCII alone', async () => {
    const lanes = await runMain(['backtest', short, '--lanes', '--ascii']);
    expect(lanes.stdout).toMatch(/^[\x20-\x7e\n]+$/);
    expect(lanes.stdout).not.toContain('?');
    expect(lanes.stdout).toContain('Slow:');
    expect(lanes.stdout).not.toContain('Horizons');
    const [fast] = JSON.parse(shortJson.stdout).lanes;
    expect(lanes.stdout).toMatch(new RegExp(`^gastop +${(fast.rules[0].kept * 100).toFixed(1)} %`, 'm'));
    const horizons = await runMain(['backtest', short, '--horizons', '--json']);
    expect(Object.keys(JSON.parse(horizons.stdout)).join(' ')).toBe(
      'file chainId stretch judged horizons unjudgedHorizons waits patience',
    );
    const both = await runMain(['backtest', short, '--horizons', '--lanes', '--json']);
    expect(both.stdout).toBe(shortJson.stdout);
  });

  slowIt('reads JSON Lines and gzip as well, with the same result', async () => {
    const score = ({ stdout }: Captured) => ({ ...JSON.parse(stdout), file: '' });
    writeFileSync(at('blocks.csv.gz'), gzipSync(readFileSync(short)));
    expect(score(await runMain(['backtest', at('blocks.csv.gz'), '--json']))).toEqual(score(shortJson));
    await runMain(['record', '--replay', short, '--past', '30d', '--out', at('blocks.jsonl')]);
    expect(score(await runMain(['backtest', at('blocks.jsonl'), '--json']))).toEqual(score(shortJson));
  });
});

describe('gastop backtest --predictions', () => {
  it('writes what was said at each block from --from to --to, one line each, wei as integers', async () => {
    const out = at('said.jsonl');
    const argv = ['backtest', shortRecording('said.csv', 460), '--predictions', out];
    const range = ['--from', '20973500', '--to', '20,973,599', '--patience', '15m'];
    const { exitCode, stdout, stderr } = await runMain([...argv, ...range]);
    expect(stdout).toContain('the advice at blocks 20,973,500 to 20,973,599, from the past alone');
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    expect(stdout).toContain('after learning from the 336 blocks before');
    expect(stdout).toContain('Fast: in within 2 blocks, 99 %; 100 times');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `gastop: wrote 100 predictions to ${out}\n`,
    });
    const lines = readFileSync(out, 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    expect(lines).toHaveLength(100);
    const said = lines.map((line) => JSON.parse(line));
    expect(said.map(({ block }) => block)).toEqual(lines.map((_, index) => 20_973_500 + index));
    for (const { lanes, targets, patience } of said) {
      expect(patience.map((each: { patienceSec: number }) => each.patienceSec)).toEqual([900]);
      for (const { wait } of patience) {
        if (wait === null) continue;
        expect(targets).toContainEqual(wait);
        expect(wait.horizonSec).toBeLessThanOrEqual(900);
      }
      expect(Object.keys(lanes).join(' ')).toBe('slow average fast');
      for (const lane of Object.values<Record<string, unknown>>(lanes)) {
        expect(Object.keys(lane).join(' ')).toBe(
          'maxFeePerGas maxPriorityFeePerGas withinBlocks probability',
        );
        expect(lane.maxFeePerGas).toSatisfy(Number.isSafeInteger);
        expect(lane.maxPriorityFeePerGas).toSatisfy(Number.isSafeInteger);
      }
      expect(targets.map((target: { horizonSec: number }) => target.horizonSec)).toEqual([
        300, 900, 3_600, 21_600, 86_400,
      ]);
      for (const target of targets) {
        expect(Object.keys(target).join(' ')).toBe('horizonSec price probability');
        if (target.probability === null) expect(target.price).toBeNull();
        else expect(target.price).toSatisfy(Number.isSafeInteger);
      }
    }
  });

  it('leaves an existing file alone, and replaces it with --force', async () => {
    writeFileSync(at('precious'), 'mine');
    const argv = ['backtest', shortRecording('some.csv', 200), '--predictions', at('precious')];
    const refused = await runMain(argv);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/^gastop: --predictions: .*precious exists already; .* --force\n$/);
    expect(readFileSync(at('precious'), 'utf8')).toBe('mine');
    expect((await runMain([...argv, '--force'])).exitCode).toBe(0);
    expect(readFileSync(at('precious'), 'utf8').trim().split('\n')).toHaveLength(200);
  });

  it('never touches a file for a recording that cannot be read, nor the recording itself', async () => {
    writeFileSync(at('kept'), 'mine');
    writeFileSync(at('broken.csv'), `${rows.slice(0, 400).join('\n')}\n1,2\n`);
    const broken = await runMain(['backtest', at('broken.csv'), '--predictions', at('kept'), '--force']);
    expect(broken.exitCode).toBe(2);
    expect(readFileSync(at('kept'), 'utf8')).toBe('mine');
    const self = shortRecording('self.csv', 300);
    const same = await runMain(['backtest', self, '--predictions', self, '--force']);
    expect(same).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is the file that is read') });
    expect(readFileSync(self, 'utf8')).toContain(heading);
  });
});

describe('what cannot be done is one clear line', () => {
  const refused = async (argv: readonly string[]) => {
    const { exitCode, stdout, stderr } = await runMain(['backtest', ...argv]);
    expect(stdout).toBe('');
    expect(stderr.trimEnd()).not.toContain('\n');
    return { exitCode, stderr };
  };

  it.each([
    [['nowhere.csv'], 'nowhere.csv: there is no such file; check the path'],
    [[tmpdir()], `${basename(tmpdir())}: is a folder; name a file of recorded blocks`],
    [[], "missing required argument 'FILE'"],
    [
      [RECORDING, '--from', '30000000'],
      'the file holds blocks 20973164 to 20975164; choose --from among them',
    ],
    [[RECORDING, '--to', '5'], 'the file holds blocks 20973164 to 20975164; choose --to among them'],
    [
      [RECORDING, '--from', '20974000', '--to', '20973500'],
      '--from 20974000 is after --to 20973500; swap them',
    ],
    [[RECORDING, '--from', 'latest'], '--from: "latest" is not a block number'],
    [[RECORDING, '--to', 'many'], '"many" is not a block number'],
    [[RECORDING, '--predictions', at('no-folder/x')], 'its folder does not exist'],
    [[RECORDING, '--predictions', '-'], '--predictions: stdout takes the report; name a file'],
    [[RECORDING, '--predictions', ''], '--predictions: a file name is missing'],
  ])('%j', async (argv, message) => {
    const { exitCode, stderr } = await refused(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it('a recording without blocks, with one, or with too few to judge', async () => {
    expect((await refused([shortRecording('none.csv', 0)])).stderr).toContain('holds no blocks');
    for (const count of [1, 20]) {
      const { exitCode, stderr } = await refused([shortRecording('few.csv', count)]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`too few blocks to judge anything: ${count};`);
    }
    const part = await refused([shortRecording('part.csv', 100), '--to', '20973170']);
    expect(part.stderr).toContain('too few blocks to judge anything: 7 of ');
  });

  it('a file that is no recording', async () => {
    writeFileSync(at('noise'), 'hello');
    expect(await refused([at('noise')])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('neither'),
    });
    writeFileSync(at('damaged.gz'), gzipSync(readFileSync(RECORDING)).subarray(0, 5_000));
    expect((await refused([at('damaged.gz')])).stderr).toContain('the compressed data ends early');
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('a file it may not read', async () => {
    chmodSync(shortRecording('secret.csv', 300), 0o000);
    expect((await refused([at('secret.csv')])).stderr).toContain('may not be read');
  });
});

describe('a long walk', () => {
  it('interrupted ends without a report; whole lines of predictions stay', async () => {
    const out = at('interrupted.jsonl');
    const child = spawn(process.execPath, [GASTOP, 'backtest', RECORDING, '--predictions', out]);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    let told = '';
    child.stderr.on('data', (chunk) => {
      told += chunk;
    });
    const ended = once(child, 'close');
    try {
      await expect
        .poll(() => (existsSync(out) ? readFileSync(out).length : 0), { timeout: 120_000 })
        .toBeGreaterThan(0);
      child.kill('SIGINT');
      const [code] = await ended;
      expect(code).toBe(130);
      expect(output).toBe('');
      expect(told).toMatch(/^gastop: wrote [\d,]+ predictions to /);
      const lines = readFileSync(out, 'utf8').split('\n');
      expect(lines.pop()).toBe('');
      for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
    } finally {
      child.kill('SIGKILL');
    }
  });

  /** The recording so many times, one after the other: a quick machine walks one of them before it says how far it is. */
  function longRecording(times: number): string {
    const [number = 0, seconds = 0] = (blocks[0] ?? '').split(',').map(Number);
    const all = Array.from({ length: times }, (_, round) =>
      blocks.map((row, place) => {
        const [, , ...fees] = row.split(',');
        const passed = round * blocks.length + place;
        return [number + passed, seconds + passed * 12, ...fees].join(',');
      }),
    );
    writeFileSync(at('long.csv'), [heading, ...all.flat()].join('\n'));
    return at('long.csv');
  }

  slowIt('shows on a terminal how far it is, and leaves a clean line behind at Ctrl-C', async () => {
    await using terminal = await gastop(['backtest', longRecording(10)], { watchTty: true });
    await terminal.waitFor(/^[|/\\-] \d+ % {2}block [\d,]+ of 20,010$/m);
    await terminal.press('ctrl+c');
    expect((await terminal.waitForExit()).exitCode).toBe(130);
    expect(terminal.screen().join('')).not.toContain('%');
  });
});
