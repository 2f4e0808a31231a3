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
