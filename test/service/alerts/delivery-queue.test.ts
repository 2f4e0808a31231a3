import { expect, test } from 'vitest';
import { DeliveryQueue } from '../../../src/service/alerts/dispatcher.ts';
import type { DueDelivery } from '../../../src/store/outbox.ts';

const due = (id: string, host: string, owner = ''): DueDelivery => ({
  id,
  owner,
  channel: 'WEBHOOK',
  target: `https://${host}/hook/${id}`,
  dueAt: 0,
});

function takeAll(queue: DeliveryQueue): DueDelivery[] {
  const taken: DueDelivery[] = [];
  for (let next = queue.take(); next !== null; next = queue.take()) taken.push(next);
  return taken;
}

const ids = (deliveries: readonly DueDelivery[]) => deliveries.map(({ id }) => id);

test('a recipient delays no other, however much waits for it', () => {
  const queue = new DeliveryQueue();
  for (let n = 0; n < 1_000; n += 1) queue.add(due(`much${n}`, 'much.test'));
  queue.add(due('one', 'one.test'));
  queue.add(due('two', 'two.test'));
  expect(ids(takeAll(queue))).toEqual(['much0', 'much1', 'one', 'two']);
});

test('a key has at most 8 under way, however many recipients it names; another key is sent at once', () => {
  const queue = new DeliveryQueue();
  for (let n = 0; n < 1_000; n += 1) queue.add(due(`much${n}`, `s${n}.much.test`, 'much'));
  const first = takeAll(queue);
  expect(first).toHaveLength(8);
  queue.add(due('other', 'other.test', 'other'));
  expect(ids(takeAll(queue))).toEqual(['other']);
  const [ended] = first;
  if (ended !== undefined) queue.end(ended);
  expect(ids(takeAll(queue))).toEqual(['much8']);
});

test('at most 32 are under way', () => {
  const queue = new DeliveryQueue();
  for (let n = 0; n < 40; n += 1) queue.add(due(`w${n}`, `w${n}.test`));
  expect(takeAll(queue)).toHaveLength(32);
});

test('what is known is not taken in again, until it has ended: nothing is sent twice at once', () => {
  const queue = new DeliveryQueue();
  const only = due('a', 'one.test');
  queue.add(only);
  queue.add(only);
  expect(ids(takeAll(queue))).toEqual(['a']);
  queue.add(only);
  expect(takeAll(queue)).toEqual([]);
  queue.end(only);
  queue.add(only);
  expect(ids(takeAll(queue))).toEqual(['a']);
});
