import { createSocket } from 'node:dgram';
import { expect, onTestFinished, test } from 'vitest';
import { createHostResolver } from '../../../src/service/alerts/notifiers/safe-http.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const A = 1;
const AAAA = 28;
const NO_SUCH_NAME = 3;

/** `isHalf`: nothing is said where there is no address of the kind. */
type Entry = { readonly v4?: string; readonly v6?: string; readonly isHalf?: boolean };
type Zone = Readonly<Record<string, Entry | 'silent'>>;

/** A real name server (RFC 1035) for these names, on 127.0.0.1; it ends with the test. */
async function startNameServer(zone: Zone) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    const entry = zone[name];
    if (entry === 'silent') return;
    const text = type === A ? entry?.v4 : type === AAAA ? entry?.v6 : undefined;
    if (entry?.isHalf && text === undefined) return;
    const data = text === undefined ? null : type === A ? v4Bytes(text) : v6Bytes(text);
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (entry === undefined ? NO_SUCH_NAME : 0), 2);
    head.writeUInt16BE(data === null ? 0 : 1, 6);
    head.writeUInt32BE(0, 8);
    const record =
      data === null
        ? Buffer.alloc(0)
        : Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
    socket.send(Buffer.concat([head, query.subarray(12, end), record]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void socket.close());
  return { server: `127.0.0.1:${socket.address().port}`, asked };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

const v4Bytes = (text: string) => Buffer.from(text.split('.').map(Number));
/** All eight groups written out. */
const v6Bytes = (text: string) =>
  Buffer.from(
    text
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );

test('a name has all the addresses that name servers give it, of both kinds', async () => {
  const { server } = await startNameServer({
    'both.test': { v4: '93.184.215.14', v6: '2606:2800:21f:cb07:6820:80da:af6b:8b2c' },
    'old.test': { v4: '93.184.215.15' },
  });
  const resolve = createHostResolver({ servers: [server] });
  expect(await resolve('both.test')).toEqual(['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']);
  expect(await resolve('old.test')).toEqual(['93.184.215.15']);
});

test('a server that answers for one kind of address alone is not waited for until it is given up', async () => {
  const half = await Promise.all(
    Array.from({ length: 3 }, () => startNameServer({ 'half.test': { v4: '93.184.215.14', isHalf: true } })),
  );
  const resolve = createHostResolver({ servers: half.map(({ server }) => server) });
  expect(await resolve('half.test')).toEqual(['93.184.215.14']);
  // Given up is only once all were asked, one after the other.
  const questions = half.flatMap(({ asked }) => asked);
  expect(questions.length).toBe(2);
});

test('names that no server answers for hold up no other', async () => {
  const dead = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`dead${n}.test`, 'silent'] as const));
  const { server, asked } = await startNameServer({ ...dead, 'alive.test': { v4: '93.184.215.14' } });
  const resolve = createHostResolver({ servers: [server] });
  let settled = 0;
  const settle = () => {
    settled += 1;
  };
  for (const name of Object.keys(dead)) void resolve(name).then(settle, settle);
  await waitFor(() => Object.keys(dead).every((name) => asked.includes(name)));
  expect(await resolve('alive.test')).toEqual(['93.184.215.14']);
  expect(settled).toBe(0);
});

test('the same name asked for by several at once is asked for once', async () => {
  const { server, asked } = await startNameServer({ 'one.test': { v4: '93.184.215.14' } });
  const resolve = createHostResolver({ servers: [server] });
  await Promise.all([resolve('one.test'), resolve('one.test'), resolve('one.test')]);
  // Once for each kind of address.
  expect(asked).toEqual(['one.test', 'one.test']);
});

test('a name that only this machine knows is found, and one that nobody knows says so', async () => {
  const { server, asked } = await startNameServer({});
  const resolve = createHostResolver({ servers: [server] });
  expect(await resolve('localhost')).toContain('127.0.0.1');
  expect(asked).toEqual([]);
  await expect(resolve('nobody.invalid')).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
});
