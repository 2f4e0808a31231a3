import { describe, expect, test } from 'vitest';
import { createRedaction, nodeText, parseNodeUrl } from '../../../src/chain/rpc/failures.ts';
import { createPace } from '../../../src/chain/rpc/follow.ts';
import { describeNodes, judgeNodes, type NodeSeen } from '../../../src/chain/rpc/node-pool.ts';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';

describe('a node address', () => {
  test.each([
    ['http://127.0.0.1:8545', '127.0.0.1:8545'],
    ['  https://user:secret@node.example/v3/KEY?apikey=KEY  ', 'node.example'],
    ['ws://[::1]:8546', '[::1]:8546'],
    ['WSS://Node.Example:443/KEY', 'node.example'],
  ])('%s is shown as %s', (text, shown) => {
    expect(createRpcSource({ urls: [text] }).name).toBe(shown);
  });

  test.each([
    '',
    'node.example/v3/SECRET',
    'ftp://node.example/SECRET',
    'http://node.example:99999/SECRET',
    'http://node.example:0/SECRET',
    'http://node .example/SECRET',
    'http://node.example/\u001b[31mSECRET',
  ])('%j is refused in one line that says what to write and repeats no key', (text) => {
    expect(() => parseNodeUrl(text)).toThrow(
      /^the node address cannot be read: write http:[^\n]* for example http:\/\/127\.0\.0\.1:8545$/,
    );
  });
});

test('what a node says is stripped of escapes, addresses and long hex before it is shown', () => {
  const text = `\u001b[2Jno\r\nway https://user:pw@h.example/KEY \u202e 0x${'ab'.repeat(200)} end`;
  const same = (each: string) => each;
  expect(nodeText(text, same)).toBe('no way (address) 0x… end');
  expect(nodeText('x'.repeat(1_000), same)).toHaveLength(160);
});

test.each([
  ['http://h.example/v3/a1b2c3d4e5f6', 'Cannot POST /v3/a1b2c3d4e5f6', 'Cannot POST /v3/(key)'],
  ['http://h.example/A1B2C3D4E5F6', 'no route /a1b2c3d4e5f6', 'no route /(key)'],
  ['http://h.example/a1b2c3d4e5f6', 'no route a1b2c3\u200bd4e5f6', 'no route (key)'],
  ['http://h.example/a1b2%2Bc3d4', 'bad: a1b2+c3d4 or a1b2%2Bc3d4', 'bad: (key) or (key)'],
  ['http://h.example/?k=q1w2e3&x=1', 'key q1w2e3 has 1 request left', 'key (key) has 1 request left'],
  ['http://h.example/?q1w2e3', 'q1w2e3 is no key', '(key) is no key'],
  ['http://user:p%40ss@h.example', 'user with p@ss or Basic dXNlcjpwQHNz', '(key) with (key) or Basic (key)'],
  ['http://h.example/rpc', 'rpc: method not found', 'rpc: method not found'],
])('of %s a node may not repeat the key', (url, said, shown) => {
  expect(nodeText(said, createRedaction(new URL(url)))).toBe(shown);
});

test('a key is not shown by half either, where what a node says is cut', () => {
  const said = `${'x'.repeat(155)}a1b2c3d4e5f6`;
  expect(nodeText(said, createRedaction(new URL('http://h.example/a1b2c3d4e5f6')))).toBe(
    `${'x'.repeat(155)}(key)`,
  );
});

describe('several nodes', () => {
  const node = (name: string, options: Partial<NodeSeen> = {}): NodeSeen => ({
    name,
    latencyMs: 5,
    head: 100,
    behind: 0,
    baseFees: new Map([[100, 7n]]),
    problem: null,
    notes: new Map(),
    syncing: null,
    ...options,
  });
  const down = { problem: { state: 'down' as const, message: 'refuses' }, baseFees: new Map() };
  const said = (...nodes: NodeSeen[]) => describeNodes(judgeNodes(nodes, 12));

  test('are named by how many can be trusted', () => {
    expect(said(node('a'))).toBe('a');
    expect(said(node('a'), node('b'), node('c'))).toBe('3 nodes agree');
    expect(said(node('a'), node('b'), node('c', down))).toBe('2 of 3 nodes agree');
    expect(said(node('a'), node('b', down), node('c', down))).toBe('1 of 3 nodes answers');
    expect(said(node('a', down), node('b', down))).toBe('none of 2 nodes answers');
    expect(said(node('a'), node('b', { baseFees: new Map([[100, 8n]]) }))).toBe('2 nodes disagree');
    expect(said(node('a'), node('b', { behind: 5 }))).toBe('1 of 2 nodes is up to date');
    expect(said(node('a', { head: null }), node('b', { head: null }))).toBe('2 nodes');
  });

  test('lag is measured in blocks of the chain, so a fast chain is allowed more of them', () => {
    const state = (behind: number, blockTimeSec: number) =>
      judgeNodes([node('a'), node('b', { behind })], blockTimeSec)[1]?.state;
    expect([state(2, 12), state(3, 12)]).toEqual(['ok', 'lagging']);
    expect([state(20, 0.25), state(24, 0.25)]).toEqual(['ok', 'lagging']);
  });
});

describe('the pace of polling', () => {
  const paceAfter = (count: number, everyMs: number, isSteady = false) => {
    const pace = createPace(12_000, isSteady);
    for (let i = 0; i < count; i++) pace.heard(i, i * everyMs);
    return pace;
  };

  test('is several times a block, and sleeps while no block can be due', () => {
    expect(paceAfter(0, 0).wait(0)).toBeLessThanOrEqual(1_500);
    expect(paceAfter(5, 1_000).wait(4_900)).toBe(250);
    const slow = paceAfter(4, 12_000);
    expect([slow.wait(36_000), slow.wait(46_000)]).toEqual([9_600, 1_500]);
    slow.heard(4, 38_000);
    expect(slow.wait(38_000)).toBe(1_600);
  });

  test('is steady where blocks are mined on demand, and never below 250 ms', () => {
    expect(paceAfter(4, 12_000, true).wait(36_000)).toBe(250);
    expect(createPace(250, false).wait(0)).toBe(250);
  });
});
