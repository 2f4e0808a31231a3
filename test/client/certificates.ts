import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Whether certificates can be made here; where not, tests that need some are skipped and say so. */
export const HAS_OPENSSL = spawnSync('openssl', ['version']).status === 0;

const CA_CONFIG = `
[ca]
default_ca = own
[own]
new_certs_dir = .
database = index.txt
serial = serial
default_md = sha256
policy = names
copy_extensions = copy
[names]
organizationName = optional
commonName = supplied
`;

/** A certificate signed by itself, for `names`, valid between two days (`20200131`). */
export function selfSigned(
  { names = 'IP:127.0.0.1', from = '20200101', to = '20400101' } = {},
  subject = '/O=Test of gastop/CN=gas.example.org',
): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'gastop-cert-'));
  const openssl = (...argv: readonly string[]) => {
    const { status, stderr } = spawnSync('openssl', argv, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${argv[0]}: ${stderr}`);
  };
  try {
    writeFileSync(join(folder, 'ca.cnf'), CA_CONFIG);
    writeFileSync(join(folder, 'index.txt'), '');
    writeFileSync(join(folder, 'serial'), '01');
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'key.pem');
    const extension = `subjectAltName=${names}`;
    openssl('req', '-new', '-key', 'key.pem', '-subj', subject, '-addext', extension, '-out', 'request.pem');
    // `openssl x509` cannot say when a certificate begins; a certification authority can.
    openssl(
      ...['ca', '-batch', '-config', 'ca.cnf', '-selfsign', '-keyfile', 'key.pem', '-in', 'request.pem'],
      ...['-startdate', `${from}000000Z`, '-enddate', `${to}000000Z`, '-notext', '-out', 'cert.pem'],
    );
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    return { key: read('key.pem'), cert: read('cert.pem') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
