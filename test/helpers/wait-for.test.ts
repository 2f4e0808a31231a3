import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { inTime, waitFor } from './wait-for.ts';

const never = () => new Promise<never>(() => {});

function withoutWaiting(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

describe('what a test waits for', () => {
  test.each([
    ['is never answered', never, 'an answer did not come'],
    ['is answered with nothing', async () => null, 'last: null'],
    ['is answered with an error', () => Promise.reject(new Error('no block')), 'no block'],
    ['throws', () => JSON.parse('{'), 'SyntaxError'],
  ])('is given up in words where its question %s', async (_, question: () => Promise<unknown>, says) => {
    withoutWaiting();
    const waiting = expect(waitFor(question, { what: 'the head', timeoutMs: 500 })).rejects.toThrow(
      new RegExp(`the head did not come within 500 ms.*${says}`),
    );
    await vi.advanceTimersByTimeAsync(120_000);
    await waiting;
  });

  test('is returned where its answer was under way at the deadline', async () => {
    withoutWaiting();
    const slow = () => new Promise<number>((resolve) => setTimeout(() => resolve(7), 30_000));
    const waiting = expect(waitFor(slow, { timeoutMs: 500 })).resolves.toBe(7);
    await vi.advanceTimersByTimeAsync(30_000);
    await waiting;
  });

  test('is named with how things stand where it never comes', async () => {
    withoutWaiting();
    let blocks = 0;
    const waiting = expect(inTime(never(), 'the end', 1_000, () => `: ${blocks} blocks`)).rejects.toThrow(
      'the end did not come within 1000 ms: 3 blocks',
    );
    blocks = 3;
    await vi.advanceTimersByTimeAsync(1_000);
    await waiting;
  });
});
