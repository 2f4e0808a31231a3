import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import * as z from 'zod';
import type { Workshop } from './programs.ts';
import type { Row } from './row.ts';

const ROOT = join(import.meta.dirname, '../..');
const LARGEST_MB = 1.2;
const Packed = z.tuple([z.object({ size: z.number(), unpackedSize: z.number(), entryCount: z.number() })]);

/** What `npx gastop` downloads, beside the bare Ink program, packed likewise. */
export async function measurePackageSize(workshop: Workshop): Promise<Row[]> {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  const [{ size, unpackedSize, entryCount }] = Packed.parse(JSON.parse(stdout));
  const bare = (await promisify(gzip)(await readFile(workshop.bare), { level: 9 })).byteLength;
  const megabytes = size / 1e6;
  return [
    {
      measure: 'package download',
      gastop: `${megabytes.toFixed(2)} MB`,
      yardstick: `bare Ink program, packed likewise, ${(bare / 1e6).toFixed(2)} MB`,
      ratio: size / bare,
      spread: `exact; ${entryCount} files, ${(unpackedSize / 1e6).toFixed(2)} MB unpacked`,
      budget: [{ atMost: LARGEST_MB, figure: { value: megabytes, unit: 'MB' } }],
    },
  ];
}
