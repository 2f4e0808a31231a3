import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** Outside of what `npm ci` keeps, so that it is fetched again with everything else. */
const CACHE = join(NODE_MODULES, '.cache', 'node-runtimes');

/** The Nodes that the package is tried on. Node 24 is the one of package.json. */
export const NODES = {
  /** The launcher is the only file that has to parse here. */
  ancient: '16.20.2',
  tooOld: '20.20.2',
  /** What `engines` promises. */
  oldest: '22.13.0',
  newest: '26.10.0',
} as const;

/** What npm has to know of this machine to reach its registry, where its home is another one. */
export function registrySettings(): Record<string, string> {
  const wanted =
    /^(https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(userconfig|globalconfig|registry|(https_)?proxy|noproxy|cafile|strict_ssl))$/i;
  const set = Object.entries(process.env).filter(([name]) => wanted.test(name));
  return { npm_config_userconfig: join(homedir(), '.npmrc'), ...Object.fromEntries(set) };
}

/** Why the npm registry cannot be asked on this machine; null where it can. Throws in CI, where nothing may be skipped. */
export async function whyNoRegistry(): Promise<string | null> {
  try {
    await npm('view', 'node@24', 'version', '--fetch-retries=1', '--fetch-retry-mintimeout=1000');
    return null;
  } catch (error) {
    const reason = /\bnpm error (?:code )?(E[A-Z_]+)/.exec(
      String((error as { stderr?: string }).stderr),
    )?.[1];
    const why = `the npm registry cannot be reached (${reason ?? String(error)})`;
    if (process.env.CI) throw new Error(`${why}, which the test of the package needs`);
    return why;
  }
}

/** The folders of the executables of {@link NODES}, in the same order of names; each is fetched once for this checkout. */
export async function fetchNodes(): Promise<Readonly<Record<keyof typeof NODES, string>>> {
  const [ancient, tooOld, oldest, newest] = await Promise.all([
    fetchNode(NODES.ancient),
    fetchNode(NODES.tooOld),
    fetchNode(NODES.oldest),
    fetchNode(NODES.newest),
  ]);
  return { ancient, tooOld, oldest, newest };
}

/** The package `node` is a script that fetches the package of the platform; that one is taken here without scripts. */
async function fetchNode(version: string): Promise<string> {
  const folder = join(CACHE, version);
  if (existsSync(join(folder, 'node'))) return folder;
  const { platform, arch } = process;
  const name = `${platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'}-${platform}-${arch}`;
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, `${version}-`));
  try {
    await npm('install', '--prefix', work, '--ignore-scripts', '--no-package-lock', `${name}@${version}`);
    await rename(join(work, 'node_modules', name, 'bin'), folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

function npm(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)('npm', [...args, '--no-audit', '--no-fund'], {
    env: { ...process.env, PATH: [join(NODE_MODULES, '.bin'), process.env.PATH].join(delimiter) },
  });
}
