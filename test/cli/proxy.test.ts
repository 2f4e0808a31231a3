/** The built program where a proxy is the only way out. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { GASTOP } from '../helpers/gastop.ts';
import { listen } from '../helpers/listen.ts';
import { isSlowRun, slowIt } from '../helpers/rounds.ts';
import { serveRecording } from './served.ts';

const asked: string[] = [];

const served = await serveRecording();
// What is not secret is asked of the proxy itself, by its whole URL (RFC 9112 §3.2.2).
const proxy = createServer(({ url = '', headers }, response) => {
  const { hostname, port, pathname } = new URL(url);
  asked.push(`${hostname}:${port || 80}`);
  get(served.origin + pathname, { headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
});
// A tunnel to the service, whatever name was asked for; to a node there is none.
proxy.on('connect', (request, socket) => {
  asked.push(request.url ?? '');
  if (request.url?.endsWith(':443')) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  const onward = connect(Number(new URL(served.origin).port), '127.0.0.1');
  socket.write('HTTP/1.1 200 OK\r\n\r\n');
  socket.pipe(onward).pipe(socket);
  for (const end of [socket, onward]) end.on('error', () => {});
});
const { port, stop } = await listen(proxy);
const address = `127.0.0.1:${port}`;

afterAll(async () => {
  await stop();
  await served.close();
});

async function run(argv: readonly string[], env: Readonly<Record<string, string>>) {
  asked.length = 0;
  const child = spawn(process.execPath, [GASTOP, ...argv], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { code, stdout, stderr };
}

const NOW = ['now', '--stale-ok', '--format', '{block}', '--url'];

const NAMES = [
  ['http_proxy', ''],
  ['HTTP_PROXY', 'http://'],
] as const;

it.each(NAMES.slice(isSlowRun ? 0 : 1))('%s is asked, also without its scheme', async (name, scheme) => {
  const answer = await run([...NOW, 'http://gas.example.org'], { [name]: scheme + address });
  expect(answer).toMatchObject({ code: 0, stderr: '' });
  expect(asked[0]).toBe('gas.example.org:80');
});

it('nodes are asked through https_proxy; where it does not help, a line says through what', async () => {
  const { code, stderr } = await run(['now', '--rpc', 'https://node.example.org'], {
    HTTPS_PROXY: `http://me:pass-word@${address}`,
  });
  expect(code).toBe(3);
  expect(asked[0]).toBe('node.example.org:443');
  expect(stderr).toContain(`\n  asked through the proxy ${address}, which HTTPS_PROXY names\n`);
  expect(stderr).not.toContain('pass-word');
});

slowIt('this machine is asked itself, and whatever no_proxy names', async () => {
  const env = { http_proxy: 'http://127.0.0.1:1', HTTP_PROXY: 'http://127.0.0.1:1' };
  expect(await run([...NOW, served.origin], env)).toMatchObject({ code: 0, stderr: '' });
  const { stderr } = await run([...NOW, 'http://gas.invalid'], { ...env, no_proxy: 'gas.invalid' });
  expect(stderr).toMatch(/no such host|could not be looked up/);
});

slowIt('a node of this machine is asked itself, whichever way it is called', async () => {
  const { port } = new URL(served.origin);
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    const { code } = await run(['now', '--rpc', `http://${host}:${port}`], { http_proxy: address });
    expect({ code, asked }).toEqual({ code: 3, asked: [] });
  }
});

slowIt('an address that is none is told, and gastop goes on without it', async () => {
  const answer = await run([...NOW, served.origin], { http_proxy: 'http://[' });
  expect(answer.code).toBe(0);
  expect(answer.stderr).toMatch(/^gastop: http_proxy is not used: it is no address of a proxy[^\n]*\n$/);
});
