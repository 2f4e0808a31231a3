import { describe, expect, it } from 'vitest';
import { datedChangelog, releaseProblem } from '../../scripts/release.ts';

const CHANGELOG = '# Changelog\n\n## 1.3.0 – unreleased\n\n- New.\n\n## 1.2.0 – 2026-01-02\n';

describe('a release', () => {
  it('dates what is unreleased, under its own version or another', () => {
    const dated = (version: string) => datedChangelog(CHANGELOG, version, '2026-03-04').split('\n')[2];
    expect(['1.3.0', '2.0.0', '1.3.0-rc.1'].map(dated)).toEqual([
      '## 1.3.0 – 2026-03-04',
      '## 2.0.0 – 2026-03-04',
      '## 1.3.0-rc.1 – 2026-03-04',
    ]);
  });

  it('is refused of a version that was out, and where nothing is unreleased', () => {
    expect(() => datedChangelog(CHANGELOG, '1.2.0', '2026-03-04')).toThrow('1.2.0 already');
    expect(() => datedChangelog('# Changelog\n', '1.2.0', '2026-03-04')).toThrow('unreleased');
  });

  it.each([
    [undefined, '', 'name the version'],
    ['1.2', '', 'name the version'],
    ['v1.2.0', '', 'name the version'],
    ['1.2.0; rm -r x', '', 'name the version'],
    ['1.2.0', ' M src/bin.ts\n', 'commit or put away'],
  ])('is refused as %s with the tree %j', (version, status, why) => {
    expect(releaseProblem(version, status)).toContain(why);
  });

  it('goes on with a version and a clean tree', () => {
    expect(releaseProblem('1.2.0', '')).toBeNull();
  });
});
