import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Workshop } from './programs.ts';
import { atMost, type Row } from './row.ts';

/** What `npx gastop` downloads, beside the bare Ink program, packed likewise. */
export async function measurePackage(workshop: Workshop): Promise<Row[]> {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: join(import.meta.dirname, '../..') });
  const [{ size, unpackedSize, entryCount }] = JSON.parse(stdout);
  const bare = (await promisify(gzip)(await readFile(workshop.bare), { level: 9 })).byteLength;
  return [
    {
      measure: 'package download',
      gastop: `${(size / 1e6).toFixed(2)} MB`,
      yardstick: `bare Ink program, packed likewise, ${(bare / 1e6).toFixed(2)} MB`,
      ratio: size / bare,
      spread: `exact; ${entryCount} files, ${(unpackedSize / 1e6).toFixed(2)} MB unpacked`,
      budget: [atMost(size / 1e6, 1.2, 'MB')],
    },
  ];
}
