import { describe, expect, it } from 'vitest';
import { troubleLines } from '../../src/tui/chrome/no-source.tsx';
import { displayWidth } from '../../src/tui/ui/text.tsx';

const UNKNOWN = 'has no address in DNS: check the spelling and the network';
const hosts = ['ethereum-rpc.publicnode.com', 'ethereum.reth.rs', 'eth.drpc.org', 'eth.merkle.io', '1rpc.io'];
const offline = hosts.map((path) => ({ path, message: UNKNOWN }));
const lines = (...[troubles, width, room]: [Parameters<typeof troubleLines>[0], number, number]) =>
  troubleLines(troubles, width, room).map((line) => line.map(({ text }) => text).join(''));

describe('what is wrong with the nodes', () => {
  it('is said once where it is the same of all, under their names', () => {
    expect(lines(offline, 76, 11)).toEqual([...hosts, `  each: ${UNKNOWN}`]);
  });

  it('is said beside a node where that fits, else below it, whole', () => {
    const two = [
      { path: 'a.example', message: 'no answer within 8s' },
      { path: 'long.example.org', message: UNKNOWN },
    ];
    expect(lines(two, 76, 11)).toEqual([
      'a.example         no answer within 8s',
      `long.example.org  ${UNKNOWN}`,
    ]);
    expect(lines(two, 60, 11).at(-1)).toBe(`  ${UNKNOWN}`);
  });

  it.each([
    [56, 2],
    [56, 4],
    [30, 6],
  ])('fits %i columns and %i lines, and counts the nodes that do not', (width, room) => {
    const shown = lines(offline, width, room);
    expect(shown.length).toBeLessThanOrEqual(room);
    expect(shown.filter((line) => displayWidth(line) > width)).toEqual([]);
    expect(shown.join('\n')).toMatch(/\d (nodes|more)/);
    expect(shown.join('\n')).toContain('each: has no address');
  });
});
