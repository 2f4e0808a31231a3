/** What a broken or hostile service or node answers: one clear line, nothing raw on the terminal. */
import { createServer, type ServerResponse } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { runMain } from '../cli/captured-io.ts';
import { gastop } from '../helpers/gastop.ts';
import { listen } from '../helpers/listen.ts';
import { isSlowRun } from '../helpers/rounds.ts';

type Behaviour = (response: ServerResponse) => void;

const JSON_TYPE = { 'content-type': 'application/json' };
const ESCAPES = '\u001b]0;owned\u0007\u001b[2J\u001b[31mred\u001b[0m\u009b2J\u0007';

const ANSWERS: Readonly<Record<string, { act: Behaviour; '--url': string; '--rpc': string }>> = {
  // Its length says so: bytes without one are broken off in test/chain and test/client, without a deadline of seconds.
  'a hundred megabytes': {
    act: (response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': 100_000_000 });
      response.write('[');
    },
    '--url': 'the response of HOST is larger than 8 MB and was cut off; check the URL',
    '--rpc': 'answers more than 32 MB: try another node',
  },
  'invalid UTF-8': {
    act: (response) => {
      response.writeHead(200, JSON_TYPE);
      response.end(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc3, 0x28, 0x22, 0x3a]));
    },
    '--url': 'the response of HOST to /gas/current is broken off or not JSON',
    '--rpc': 'answers something that is not JSON-RPC: is that the address of a JSON-RPC node?',
  },
  'escape sequences in every string': {
    act: (response) => {
      // A node's word that it is not to be asked now: such words are shown beside its name.
      const error = { code: -32005, message: `${ESCAPES} rate limit` };
      response.writeHead(400, JSON_TYPE);
      response.end(JSON.stringify({ errorCode: ESCAPES, message: ESCAPES, error }));
    },
    '--url': 'the service did not accept the request: red',
    '--rpc': 'has had too many requests: red rate limit',
  },
  'an HTML page': {
    act: (response) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end(`<html><title>Bad gateway</title>${ESCAPES}</html>`);
    },
    '--url': 'the service failed (502)',
    '--rpc': 'fails (HTTP 502): try again later or use another node',
  },
  'half a JSON document': {
    act: (response) => {
      response.writeHead(200, JSON_TYPE);
      response.end('{"chainId": 1, "blockNumber": ');
    },
    '--url': 'the response of HOST to /gas/current is broken off or not JSON',
    '--rpc': 'answers something that is not JSON-RPC: is that the address of a JSON-RPC node?',
  },
};

let behaviour: Behaviour = (response) => response.destroy();

const server = createServer((request, response) => {
  request.resume();
  behaviour(response);
});
const service = await listen(server);

afterAll(() => service.stop());

/** What is left of a sequence of which only the unseen characters were taken out. */
const REMAINS = /owned|\[\d*[mJK]|\]0;/;

describe.each(['--url', '--rpc'] as const)('gastop %s', (flag) => {
  it.runIf(isSlowRun || flag === '--url')(
    'says of each answer what is wrong with it, in one readable line, keeps the terminal whole and quits clean',
    async () => {
      await using terminal = await gastop([flag, service.origin], { cols: 120 });
      for (const { act, ...words } of Object.values(ANSWERS).slice(isSlowRun ? 0 : 1)) {
        behaviour = act;
        const host = new URL(service.origin).host;
        const said = flag === '--url' ? words[flag].replace('HOST', host) : `${host} ${words[flag]}`;
        // Nodes that did not respond within three seconds, which a busy machine may need, are not retried without r.
        const rows = await terminal.pressUntil('r', (now) =>
          now.some((row) => row.trim().replaceAll(/ +/g, ' ') === said),
        );
        expect(rows.join('\n')).toMatch(
          flag === '--url'
            ? /! (The response cannot be read|The service fails|The service does not accept the request)/
            : /! No source answers/,
        );
        expect(rows.join('\n')).not.toMatch(REMAINS);
      }
      const raw = terminal.output();
      expect(raw).not.toContain('owned');
      expect(raw).not.toContain('\u001b[2J');
      expect(raw).not.toContain('\u0007');
      expect(raw).not.toContain('\u009b');
      if (flag === '--rpc') {
        behaviour = () => {};
        await terminal.press('r');
        await terminal.waitFor(/no answer|did not answer|does not answer|not answer/);
      }
      await terminal.press('q');
      expect((await terminal.waitForExit()).exitCode).toBe(0);
      expect(terminal.leftovers()).toEqual([]);
    },
  );

  it.each(Object.entries(ANSWERS))('now: %s is one clear line and exit code 2 or 3', async (_, { act }) => {
    behaviour = act;
    const { exitCode, stdout, stderr } = await runMain(['now', flag, service.origin]);
    expect([2, 3]).toContain(exitCode);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^gastop: /);
    expect(stderr).not.toMatch(/\bat .*:\d+:\d+/);
    expect(stderr).not.toMatch(REMAINS);
    expect(stderr).not.toContain('\u0007');
    expect(stderr).not.toContain('\u001b');
  });
});
