import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileSealer } from '../../src/store/sealer.ts';
import { makeWhole } from '../../src/store/whole-file.ts';
import { temporaryFolder } from '../helpers/service.ts';

const SOURCE = new URL('../../src/store/', import.meta.url);

/** Runs `code` where no file may have more than so many blocks of 512 bytes, as on a full disk. */
function limited(blocks: number, code: string) {
  const node = `exec "${process.execPath}" --input-type=module -e "$0"`;
  return spawnSync('sh', ['-c', `ulimit -f ${blocks}; ${node}`, code], { encoding: 'utf8' });
}

test.runIf(process.platform === 'linux')(
  'a .key that the disk has no room for leaves nothing behind, and is made once there is',
  async () => {
    const folder = await temporaryFolder();
    const database = join(folder, 'chain-1.db');
    const code = `import { fileSealer } from ${JSON.stringify(new URL('sealer.ts', SOURCE).href)};
    fileSealer(${JSON.stringify(database)}).makeKey();`;
    const { status, stderr } = limited(0, code);
    expect([status, stderr]).toEqual([1, expect.stringContaining('EFBIG')]);
    expect(readdirSync(folder)).toEqual([]);
    expect(fileSealer(database).keyId()).toBeNull();
    const id = fileSealer(database).makeKey();
    expect(fileSealer(database).keyId()).toBe(id);
    expect(readdirSync(folder)).toEqual(['chain-1.db.key']);
    expect(statSync(`${database}.key`).mode & 0o777).toBe(0o600);
  },
);

test.runIf(process.platform === 'linux').each([600, 5_000, 100_000])(
  'a file of %i bytes that there is no room for is not begun',
  async (bytes) => {
    const folder = await temporaryFolder();
    const code = `import { makeWhole } from ${JSON.stringify(new URL('whole-file.ts', SOURCE).href)};
      makeWhole(${JSON.stringify(join(folder, 'prices.csv'))}, 'x'.repeat(${bytes}));`;
    expect(limited(1, code).stderr).toContain('EFBIG');
    expect(readdirSync(folder)).toEqual([]);
    expect(limited(1_000, code).status).toBe(0);
    expect(readFileSync(join(folder, 'prices.csv'), 'utf8')).toHaveLength(bytes);
  },
);

test('one that is there stays as it is', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'precious');
  for (const text of ['', 'mine', 'x'.repeat(9_000)]) {
    writeFileSync(path, text);
    expect(() => makeWhole(path, 'other')).toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual(['precious']);
  }
});
