import { expect, test } from 'vitest';
import { RecipientQueues } from '../../../src/service/alerts/dispatcher.ts';
import type { DueDelivery } from '../../../src/store/outbox.ts';

const due = (id: string, host: string, owner = ''): DueDelivery => ({
  id,
  owner,
  channel: 'WEBHOOK',
  target: `https://${host}/hook/${id}`,
  dueAt: 0,
});

function takeAll(queues: RecipientQueues): DueDelivery[] {
  const taken: DueDelivery[] = [];
  for (let next = queues.take(); next !== null; next = queues.take()) taken.push(next);
  return taken;
}

const ids = (deliveries: readonly DueDelivery[]) => deliveries.map(({ id }) => id);

test('one receiver is sent two at a time, the longest due first', () => {
  const queues = new RecipientQueues();
  for (const id of ['a', 'b', 'c']) queues.add(due(id, 'one.test'));
  const [a] = takeAll(queues);
  expect(queues.underWay).toBe(2);
  if (a !== undefined) queues.end(a, true);
  expect(ids(takeAll(queues))).toEqual(['c']);
});

test('receivers take turns, however much waits for one of them', () => {
  const queues = new RecipientQueues();
  for (let n = 0; n < 1_000; n += 1) queues.add(due(`much${n}`, 'much.test'));
  queues.add(due('one', 'one.test'));
  queues.add(due('two', 'two.test'));
  expect(ids(takeAll(queues))).toEqual(['much0', 'one', 'two', 'much1']);
});

test('a key has at most 8 under way, however many receivers it names; another key is sent at once', () => {
  const queues = new RecipientQueues();
  for (let n = 0; n < 1_000; n += 1) queues.add(due(`much${n}`, `s${n}.much.test`, 'much'));
  const first = takeAll(queues);
  expect(first).toHaveLength(8);
  queues.add(due('other', 'other.test', 'other'));
  expect(ids(takeAll(queues))).toEqual(['other']);
  const [ended] = first;
  if (ended !== undefined) queues.end(ended, true);
  expect(ids(takeAll(queues))).toEqual(['much8']);
});

test('keys take turns at a receiver that they share', () => {
  const queues = new RecipientQueues();
  for (const n of [1, 2, 3, 4]) queues.add(due(`a${n}`, 'shared.test', 'a'));
  for (const n of [1, 2]) queues.add(due(`b${n}`, 'shared.test', 'b'));
  const sent: string[] = [];
  for (let next = queues.take(); next !== null; next = queues.take()) {
    sent.push(next.id);
    queues.end(next, true);
  }
  expect(sent).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
});

test('what is known is not taken in again, until it has ended', () => {
  const queues = new RecipientQueues();
  const only = due('a', 'one.test');
  queues.add(only);
  queues.add(only);
  expect(ids(takeAll(queues))).toEqual(['a']);
  queues.add(only);
  expect(takeAll(queues)).toEqual([]);
  queues.end(only, true);
  queues.add(only);
  expect(ids(takeAll(queues))).toEqual(['a']);
});

test('at most 32 are under way, and at most 16 to receivers that failed the last time', () => {
  const queues = new RecipientQueues();
  const dead = Array.from({ length: 40 }, (_, n) => due(`dead${n}`, `dead${n}.test`));
  for (const each of dead) queues.add(each);
  const first = takeAll(queues);
  expect(first).toHaveLength(32);
  for (const each of first) queues.end(each, false);
  for (const each of takeAll(queues)) queues.end(each, false);
  // Now all are known to fail.
  for (const each of dead) queues.add(each);
  const again = takeAll(queues);
  expect(again).toHaveLength(16);
  queues.add(due('fine', 'fine.test'));
  expect(ids(takeAll(queues))).toEqual(['fine']);
  const [back] = again;
  if (back !== undefined) queues.end(back, true);
  // One that works again makes room for another that is tried.
  expect(takeAll(queues)).toHaveLength(1);
  if (back !== undefined) queues.add(back);
  expect(ids(takeAll(queues))).toEqual([back?.id]);
});

test('each port of a host is a receiver, and so is each channel with one way out', () => {
  const queues = new RecipientQueues();
  const mail = (id: string): DueDelivery => ({
    id,
    owner: '',
    channel: 'EMAIL',
    target: `${id}@receiver.test`,
    dueAt: 0,
  });
  for (const id of ['a', 'b', 'c']) queues.add(mail(id));
  for (const port of [1, 2, 3]) queues.add(due(`w${port}`, `one.test:${port}`));
  queues.add({ ...due('odd', 'x'), target: 'no url' });
  expect(ids(takeAll(queues)).sort()).toEqual(['a', 'b', 'odd', 'w1', 'w2', 'w3']);
});
