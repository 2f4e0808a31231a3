import { describe, expect, it } from 'vitest';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { BODY_BYTES } from '../../src/service/http/body.ts';
import { withoutBody } from '../../src/service/http/errors.ts';
import { StoreError } from '../../src/store/errors.ts';
import { NO_SEALER } from '../../src/store/sealer.ts';
import { read } from '../documents/project-files.ts';

const told = (message: string) =>
  withoutBody(new StoreError('no-key', message), BASE_PATH + PATHS.autoTxs).message;

describe('an error of a route that takes signed transactions', () => {
  it.each([
    'set GASTOP_ENCRYPTION_KEY (openssl rand -base64 32), the same for all processes',
    `the encryption key is missing: ${NO_SEALER.remedy}`,
    'GASTOP_ALLOW_PRIVATE_WEBHOOKS allows it',
  ])('keeps the names of settings: %s', (message) => {
    expect(told(message)).toBe(message);
  });

  it.each([
    `0x${'ab'.repeat(40)}`,
    Buffer.alloc(30, 200).toString('base64').replaceAll('/', '+'),
    `GASTOP_ENCRYPTION_KEY${'f8'.repeat(20)}`,
  ])('keeps no bytes: %s', (bytes) => {
    expect(told(`wrong value ${bytes} here`)).toBe('wrong value … here');
  });
});

describe('the largest body', () => {
  it.each(['docs/V1.md', 'docs/SERVICE.md'])('is the same in %s', (path) => {
    const written =
      path === 'docs/V1.md' ? `Other routes take ${BODY_BYTES.toLocaleString('en')}` : 'a body 32 kB';
    expect(read(path)).toContain(written);
  });
});
