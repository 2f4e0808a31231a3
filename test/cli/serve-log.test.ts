import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ChainError } from '../../src/chain/chain-source.ts';
import { openServeLog } from '../../src/cli/commands/run-service.ts';
import { StoreError } from '../../src/store/errors.ts';
import { captureIo } from './captured-io.ts';

function open() {
  const clock = { now: 1_000_000 };
  const io = captureIo({ now: () => clock.now });
  const log = openServeLog(io.io, 'info');
  onTestFinished(() => log.close());
  return {
    clock,
    log,
    lines: () => {
      log.close();
      return io
        .stderr()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
  };
}

test('what is wrong is said once while it lasts, again when it changes or comes back', () => {
  const { clock, log, lines } = open();
  const tick = (message: string, times: number) => {
    for (let time = 0; time < times; time += 1) {
      log.problem(new ChainError('unreachable', message));
      clock.now += 15_000;
    }
  };
  tick('a:1 cannot be reached', 20);
  tick('a:1 is on another chain', 20);
  tick('a:1 cannot be reached', 1);
  expect(lines().map(({ msg }) => msg)).toEqual([
    'a:1 cannot be reached',
    'a:1 is on another chain',
    'a:1 cannot be reached',
  ]);
});

test('only what nobody foresaw brings its stack', () => {
  const { log, lines } = open();
  log.problem(new ChainError('unreachable', 'a:1 cannot be reached'));
  log.problem(new StoreError('full', 'the disk is full'));
  log.problem(new TypeError('a bug'));
  const [chain, store, bug] = lines();
  expect(chain).toEqual({ level: 'warn', time: chain.time, msg: 'a:1 cannot be reached' });
  expect(store).toEqual({ level: 'warn', time: store.time, msg: 'the disk is full' });
  expect(bug.err.stack).toContain('serve-log.test.ts');
});

test('the lines of one turn of the event loop are written together, in order, the last ones at the end', async () => {
  const written: string[] = [];
  const { io } = captureIo();
  const log = openServeLog({ ...io, stderr: { ...io.stderr, write: (text) => written.push(text) } }, 'info');
  onTestFinished(() => log.close());
  const messages = () => written.map((text) => text.match(/(?<="msg":")\w+/g)?.join(' '));
  log.info('one');
  log.warn('two');
  expect(written).toEqual([]);
  await setImmediate();
  log.info('three');
  await setImmediate();
  log.info('four');
  log.close();
  expect(messages()).toEqual(['one two', 'three', 'four']);
});
