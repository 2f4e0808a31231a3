import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sendJson, serve } from '../client/http-server.ts';
import { gastop } from '../helpers/gastop.ts';
import { isSlowRun, slowIt } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { runMain } from './captured-io.ts';
import { SHORT_RECORDING, serveRecording } from './served.ts';
import { startProgram } from './served-program.ts';

const folder = sharedFolder('wait');

const AT_ONCE = ['wait', '--replay', SHORT_RECORDING, '--below', '1000000'];
const start = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  startProgram(argv, { home: folder, env });
let files = 0;
const freshFile = () => join(folder, `file-${++files}`);
const recorder = (log: string, stop: string) => `
  const { appendFileSync, existsSync } = require('node:fs');
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'])
    process.on(name, () => appendFileSync(${JSON.stringify(log)}, name + '\\n'));
  setInterval(() => { if (existsSync(${JSON.stringify(stop)})) process.exit(5); }, 5);
  appendFileSync(${JSON.stringify(log)}, 'ready\\n');`;
const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);

describe('the command that wait runs', () => {
  it('gets its arguments untouched, what gastop is given to read, the price in its environment, and neither gastop’s secrets nor what it set for itself', async () => {
    const script = 'JSON.stringify([process.argv.slice(1), process.env, fs.readFileSync(0, "utf8")])';
    const command = [process.execPath, '-p', script, '--'];
    const args = ['--rpc', 'http://a', 'http://b', '--json', '--', '-h', '--version', '$HOME', ''];
    const { child, ended } = startProgram([...AT_ONCE, '--lane', 'fast', '--', ...command, ...args], {
      home: folder,
      env: {
        NO_COLOR: '1',
        GASTOP_BLOCK: 'inherited',
        GASTOP_URL: 'https://gas.example',
        GASTOP_API_KEY: 'env-secret',
        GASTOP_SMTP_URL: 'smtp://me:env-secret@mail.example',
        GASTOP_SMTP_FROM: 'gas@mail.example',
        GASTOP_TELEGRAM_TOKEN: '123456789:env-secret',
      },
      input: 'pipe',
    });
    child.stdin?.end('first\nsecond\n');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^gastop: \[REPLAY\] {2}fast is [\d.]+ gwei at block [\d,]+\n$/);
    const [seen, env, read]: [string[], Record<string, string>, string] = JSON.parse(stdout);
    expect({ seen, read }).toEqual({ seen: args, read: 'first\nsecond\n' });
    expect(env).toMatchObject({
      GASTOP_PRICE_GWEI: expect.stringMatching(/^\d+(\.\d{1,9})?$/),
      GASTOP_MAX_FEE_GWEI: expect.stringMatching(/^\d+(\.\d{1,9})?$/),
      GASTOP_BLOCK: expect.stringMatching(/^\d+$/),
      GASTOP_CHAIN_ID: '1',
      GASTOP_LANE: 'fast',
      GASTOP_SOURCE: 'replay',
      NO_COLOR: '1',
    });
    expect(env).not.toHaveProperty('GASTOP_TIP_GWEI');
    expect(env).not.toHaveProperty('NODE_ENV');
    expect(env).not.toHaveProperty('FORCE_COLOR');
    expect(env).toHaveProperty('GASTOP_URL');
    expect(JSON.stringify(env)).not.toContain('env-secret');
  });

  const codes = [
    ['128 + n where signal n ended it', 'kill -KILL $$', 137],
    ['its own exit code', 'exit 42', 42],
    ['124 too, which is its own then', 'exit 124', 124],
  ] as const;
  it.each(isSlowRun ? codes : codes.slice(0, 1))('passes on %s', async (_title, script, expected) => {
    const env = { PATH: process.env.PATH ?? '' };
    const { exitCode } = await runMain([...AT_ONCE, '--', 'sh', '-c', script], { env });
    expect(exitCode).toBe(expected);
  });

  it('is run with the database closed', async () => {
    const db = freshFile();
    const listed = freshFile();
    const argv = [...AT_ONCE, '--db', db, '--', 'sh', '-c', 'ls "$0"* > "$1"', db, listed];
    const { exitCode } = await runMain(argv, { env: { PATH: process.env.PATH ?? '' } });
    expect({ exitCode, listed: readFileSync(listed, 'utf8') }).toEqual({ exitCode: 0, listed: `${db}\n` });
  });

  it('is looked for before anything is waited for: 127 where it is not, 126 where it cannot be run', async () => {
    const script = freshFile();
    writeFileSync(script, '#!/bin/sh\n');
    chmodSync(script, 0o644);
    const never = ['wait', '--demo', '--below', '0.000000001', '--'];
    for (const [command, code] of [
      ['no-such-command', 127],
      ['/no/such/command', 127],
      ['', 127],
      [script, 126],
      [folder, 126],
    ] as const) {
      const result = await runMain([...never, command, 'arg'], { env: { PATH: process.env.PATH ?? '' } });
      expect(result).toMatchObject({ exitCode: code, stdout: '' });
      expect(result.stderr).toMatch(/^gastop: [^\n]+\n$/);
    }
  });
});

describe('signals', () => {
  async function recording() {
    const log = freshFile();
    const stop = freshFile();
    const program = start([...AT_ONCE, '--', process.execPath, '-e', recorder(log, stop)]);
    await waitFor(() => linesOf(log).length === 1);
    return { ...program, log, end: () => writeFileSync(stop, '') };
  }

  it('go on to the command, each once, and gastop ends when it does and as it does', async () => {
    const { child, ended, log, end } = await recording();
    for (const [index, name] of (['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2', 'SIGINT'] as const).entries()) {
      child.kill(name);
      await waitFor(() => linesOf(log).length === index + 2);
    }
    expect(child.exitCode).toBeNull();
    end();
    expect((await ended).code).toBe(5);
    expect(linesOf(log)).toEqual(['ready', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2', 'SIGINT']);
  });

  slowIt('end a command that does not handle them, and so gastop', async () => {
    const { child, ended, stdout } = start([...AT_ONCE, '--', 'sh', '-c', 'echo on; exec sleep 60']);
    await waitFor(() => stdout() === 'on\n');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
  });

  const ends = [
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const;
  it.each(isSlowRun ? ends : ends.slice(0, 1))(
    '%s while it waits ends it, and nothing is run; SIGUSR1 before opened no debugger',
    async (name, expected) => {
      const { url, requests } = await serve((_, response) => response.writeHead(503).end());
      const ran = freshFile();
      const { child, ended } = start(['wait', '--url', url, '--below', '5', '--', 'touch', ran]);
      await waitFor(() => requests.length > 0);
      if (process.platform !== 'win32') child.kill('SIGUSR1');
      const before = requests.length;
      await waitFor(() => requests.length > before);
      child.kill(name);
      const { code, stdout, stderr } = await ended;
      expect({ code, stdout, ran: existsSync(ran) }).toEqual({ code: expected, stdout: '', ran: false });
      expect(stderr).not.toContain('Debugger');
    },
  );

  slowIt('Ctrl-C in a terminal reaches the command once, and gastop stays until it has ended', async () => {
    const log = freshFile();
    const stop = freshFile();
    await using terminal = await gastop([...AT_ONCE, '--', process.execPath, '-e', recorder(log, stop)]);
    await waitFor(() => linesOf(log).length === 1);
    await terminal.press('ctrl+c');
    await waitFor(() => linesOf(log).length === 2);
    await terminal.press('ctrl+c');
    await waitFor(() => linesOf(log).length === 3);
    // Sent to gastop alone, after both: had a Ctrl-C been passed on, it would stand before this.
    terminal.signal('SIGUSR2');
    await waitFor(() => linesOf(log).includes('SIGUSR2'));
    writeFileSync(stop, '');
    expect((await terminal.waitForExit()).exitCode).toBe(5);
    expect(linesOf(log)).toEqual(['ready', 'SIGINT', 'SIGINT', 'SIGUSR2']);
  });
});

it.each<[string, string[], string]>([
  ['no price', [], '--below PRICE, or --above PRICE'],
  ['two prices', ['--below', '5', '--above', '6'], 'cannot be combined'],
  ['an unknown lane', ['--below', '5', '--lane', 'turbo'], 'slow, average, fast'],
  ['no time', ['--below', '5', '--timeout', '0s'], '--timeout: "0s"'],
  ['too long a time', ['--below', '5', '--timeout', '25d'], '24d'],
  ['no blocks', ['--below', '5', '--confirm', '0'], '--confirm: "0"'],
  ['a flag of the command without --', ['--below', '5', 'ls', '--all'], "unknown option '--all'"],
])('wrong usage is one line and exit 2: %s', async (_title, argv, says) => {
  const { exitCode, stdout, stderr } = await runMain(['wait', '--demo', ...argv]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^gastop: [^\n]+\n$/);
  expect(stderr).toContain(says);
});

describe('a service elsewhere', () => {
  it.each([
    [401, 'api_key_invalid', 4],
    [403, 'plan_forbidden', 4],
    [404, 'not_found', 3],
  ])('that answers %i %s cannot be waited out', async (status, errorCode, exitCode) => {
    const { url } = await serve((_, response) => sendJson(response, { errorCode, message: 'no' }, status));
    const result = await runMain(['wait', '--url', url, '--below', '1000000']);
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toMatch(/^gastop: [^\n]+\n$/);
  });

  it('whose quota is used up is left alone until it wants to hear again', async () => {
    const served = await serveRecording();
    onTestFinished(() => served.close());
    const refusal = { errorCode: 'rate_limit_exceeded', message: 'the daily quota is used up' };
    let isRefused = true;
    const { url, requests } = await serve((request, response) => {
      if (isRefused) return sendJson(response, refusal, 429, { 'retry-after': '1' });
      void fetch(`${served.origin}${request.url}`).then(async (answer) =>
        sendJson(response, await answer.json()),
      );
    });
    const waiting = runMain(['wait', '--url', url, '--below', '1000000']);
    await waitFor(() => requests.length === 2);
    isRefused = false;
    const stderr = expect.stringMatching(/^gastop: \[REPLAY\] {2}average is \S+ gwei at block \S+\n$/);
    expect(await waiting).toEqual({ exitCode: 0, stdout: '', stderr });
  });
});

it('a recording that ends before the price came is exit 3', async () => {
  const argv = ['wait', '--replay', SHORT_RECORDING, '--speed', '100000', '--below', '0.001'];
  const { exitCode, stdout, stderr } = await runMain(argv);
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(stderr).toMatch(/^gastop: the recording ended at block 20,975,164 before [^\n]+\n$/);
});

describe('what wait says', () => {
  const argv = ['wait', '--replay', SHORT_RECORDING, '--speed', '600', '--below', '0.001'];

  slowIt('in a terminal is one line with price, target and time, which is gone in the end', async () => {
    await using terminal = await gastop([...argv, '--timeout', '5m'], { cols: 120 });
    const { exitCode } = await terminal.waitForExit();
    expect(exitCode).toBe(124);
    expect(terminal.output()).toMatch(
      /\[REPLAY\] average [\d.]+ gwei at #[\d,]+ {2}waiting: at or below 0\.001 gwei {2}\w+/,
    );
    const rows = terminal.screen().filter((row) => row !== '');
    expect(rows).toEqual([expect.stringMatching(/^gastop: gave up after 5m /)]);
    expect(terminal.leftovers()).toEqual([]);
  });

  // A chance of an hour takes half a minute of simulated past on a busy machine.
  slowIt('says how likely the price is in time', async () => {
    const argv = ['wait', '--demo', '--history', '6h', '--below', '0.000000001', '--timeout', '1h'];
    await using terminal = await gastop(argv, { cols: 120 });
    await terminal.waitFor(/% likely within 1h/);
  });

  it('ends with the price and its block, and is nothing with --quiet', async () => {
    const stderr = expect.stringMatching(/gastop: \[REPLAY\] {2}average is [\d.]+ gwei at block [\d,]+\n$/);
    for (const terminal of [true, false])
      expect(await runMain(AT_ONCE, { terminal })).toEqual({ exitCode: 0, stdout: '', stderr });
    const silent = { exitCode: 0, stdout: '', stderr: '' };
    expect(await runMain([...AT_ONCE, '--quiet'], { terminal: true })).toEqual(silent);
  });
});
