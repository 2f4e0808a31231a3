/** `gastop wait` and `gastop now --watch` on a service that lists a stream. */
import { expect, onTestFinished, test } from 'vitest';
import { Interruption } from '../../src/cli/errors.ts';
import { main } from '../../src/cli/main.ts';
import { snapshotOf, startStreamingService } from '../helpers/streaming-service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { captureIo, runMain } from './captured-io.ts';

const DEAR = 9_000_000_000;
const CHEAP = 1_000_000_000;

test('wait hears of the price by the stream, which no poll has told', async () => {
  const service = await startStreamingService(snapshotOf(1, DEAR));
  const waiting = runMain(['wait', '--url', service.url, '--below', '5']);
  await waitFor(() => service.streams() === 1);
  service.tell(snapshotOf(2, CHEAP));
  expect(await waiting).toMatchObject({ exitCode: 0, stderr: 'gastop: average is 1.00 gwei at block 2\n' });
});

test('wait polls as soon as the stream breaks', async () => {
  const service = await startStreamingService(snapshotOf(1, DEAR));
  const waiting = runMain(['wait', '--url', service.url, '--below', '5']);
  await waitFor(() => service.streams() === 1);
  service.breakStreams(snapshotOf(2, CHEAP));
  expect(await waiting).toMatchObject({ exitCode: 0, stderr: 'gastop: average is 1.00 gwei at block 2\n' });
});

function watch(url: string, ...argv: string[]) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort(new Interruption(130)));
  const { io, stdout, stderr } = captureIo({ signal: stop.signal });
  const exitCode = main(['now', '--watch', '--url', url, ...argv], io);
  const lines = () => stdout().split('\n').slice(0, -1);
  const end = () => {
    stop.abort(new Interruption(130));
    return exitCode;
  };
  return { lines, stderr, end };
}

test('now --watch prints a line a block, by the stream and by polls after it broke, and ends quietly', async () => {
  const service = await startStreamingService(snapshotOf(1, DEAR));
  const { lines, stderr, end } = watch(service.url);
  await waitFor(() => service.streams() === 1 && lines().length === 1);
  service.tell(snapshotOf(2, CHEAP));
  service.tell(snapshotOf(2, CHEAP));
  service.tell({ ...snapshotOf(3, CHEAP), stale: true });
  service.tell(snapshotOf(4, DEAR));
  await waitFor(() => lines().length === 3);
  service.breakStreams(snapshotOf(5, CHEAP));
  await waitFor(() => lines().length === 4);
  expect(lines()[1]).toBe('#2  slow 1.00  average 1.00  fast 1.00  base 0.000000007  next 0.000000007 gwei');
  expect(lines().map((line) => line.split(' ')[0])).toEqual(['#1', '#2', '#4', '#5']);
  expect(await end()).toBe(130);
  expect(stderr()).toMatch(/^gastop: no current prices: [^\n]+; still watching\ngastop: prices are back\n$/);
});

test('now --watch --json prints the service’s own response on one line, and --format what it says', async () => {
  const first = snapshotOf(1, DEAR);
  const service = await startStreamingService(first);
  const json = watch(service.url, '--json');
  const format = watch(service.url, '--format', '{block} {average}');
  await waitFor(() => json.lines().length === 1 && format.lines().length === 1);
  expect(json.lines()[0]).toBe(JSON.stringify(first));
  expect(format.lines()[0]).toBe('1 9.00');
  expect([await json.end(), await format.end()]).toEqual([130, 130]);
});

test('now --watch exits as now does where no service answers', async () => {
  const { url, close } = await startStreamingService();
  await close();
  const { end, stderr } = watch(url);
  await waitFor(() => stderr() !== '');
  expect(await end()).toBe(3);
});
