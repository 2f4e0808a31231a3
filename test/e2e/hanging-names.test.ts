/** The built program where names are looked up at a server that never answers, as on many a public network. */
import { spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GASTOP } from '../helpers/gastop.ts';
import { openTerminal } from '../helpers/terminal.ts';

/** Nobody else's: only programs that are told of it look names up there. */
const ADDRESS = '127.53.53.53';

const mayMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  (await new Promise<boolean>((resolve) => {
    const child = spawn('unshare', ['--mount', 'true'], { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  }));

describe.runIf(mayMount)('a name server that never answers', () => {
  let server: Socket;
  let folder: string;

  beforeAll(async () => {
    server = createSocket('udp4');
    server.bind(53, ADDRESS);
    await once(server, 'listening');
    folder = await mkdtemp(join(tmpdir(), 'gastop-names-'));
    // Far longer than a test has: who waits for it fails.
    await writeFile(join(folder, 'resolv.conf'), `nameserver ${ADDRESS}\noptions timeout:30 attempts:5\n`);
  });

  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('does not keep Ctrl-C from ending a command', async () => {
    const mounted = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
    const names = join(folder, 'resolv.conf');
    await using terminal = await openTerminal({
      command: 'unshare',
      args: ['--mount', 'sh', '-c', mounted, names, process.execPath, GASTOP, 'now'],
    });
    // The spinner is there, so the question is under way.
    await terminal.waitFor(/asking/);
    await terminal.press('ctrl+c');
    expect((await terminal.waitForExit()).exitCode).toBe(130);
    expect(terminal.screen().join('').trim()).toMatch(/^(\^C)?$/);
  });
});
