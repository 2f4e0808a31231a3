import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadConfigFile } from '../../src/cli/config-file.ts';
import { createPlans, issueKey } from '../../src/service/keys/api-keys.ts';
import { openKeyGate } from '../../src/service/keys/key-gate.ts';
import { KeyStore } from '../../src/store/api-keys.ts';
import { openKeyDatabase } from '../../src/store/database.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { refusal } from '../service/keys/key-service.ts';
import { type Captured, ended, runMain } from './captured-io.ts';

const root = sharedFolder('keys');

let homes = 0;

function newHome(config: unknown = {}) {
  homes += 1;
  const home = join(root, `home-${homes}`);
  const folder = join(home, '.config', 'gastop');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const file = join(home, '.local', 'share', 'gastop', 'keys.db');
  const run = (...argv: string[]): Promise<Captured> => runMain(['keys', ...argv], { home });
  const create = async (
    ...argv: string[]
  ): Promise<{ id: string; name: string; plan: string; key: string }> =>
    JSON.parse((await run('create', '--json', ...argv)).stdout);
  const list = async () => JSON.parse((await run('list', '--json')).stdout).items;
  const ask = async (key: string, times = 1): Promise<string> => {
    const gate = await openKeyGate({ file, plans: createPlans() });
    let said = 'ok';
    for (let count = 0; count < times; count += 1) {
      said = (await refusal(gate.admit({ key, group: 'gas' })))?.code ?? 'ok';
    }
    await gate.close();
    return said;
  };
  return { home, file, run, create, list, ask };
}

const OTHER_USER = { uid: 65_534, gid: 65_534, encoding: 'utf8' } as const;
const BIN = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));
/** Whether another user can run the program: not in a clone that lies in a folder of its owner alone. */
const canBeNobody =
  process.geteuid?.() === 0 && spawnSync(process.execPath, [BIN, '--version'], OTHER_USER).status === 0;

describe('gastop keys create', () => {
  it.runIf(canBeNobody)(
    'list says that another user may not look, instead of that there are none',
    async () => {
      const { create, file } = newHome();
      await create();
      const folder = dirname(file);
      for (const [mode, path] of [
        [0o700, file],
        [0o711, file],
        [0o700, join(folder, 'none.db')],
      ] as const) {
        chmodSync(folder, mode);
        const run = spawnSync(process.execPath, [BIN, 'keys', '--keys', path, 'list'], {
          ...OTHER_USER,
          env: { HOME: '/' },
        });
        expect([run.status, run.stdout, run.stderr]).toEqual([
          2,
          '',
          expect.stringMatching(/^gastop: no permission for \S+; check the rights on it and its folder\n$/),
        ]);
      }
    },
  );

  it('prints the key alone to stdout and words to stderr', async () => {
    const { run, ask } = newHome();
    const { exitCode, stdout, stderr } = await run('create');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^gastop_\w+\n$/);
    const id = stdout.split('_')[1];
    expect(stderr).toBe(`gastop: made key ${id} with plan free; it is shown only now\n`);
    expect(await ask(stdout.trim())).toBe('ok');
  });

  it('--json prints id, name, plan and key, and nothing else anywhere', async () => {
    const { run, ask } = newHome();
    const { stdout, stderr } = await run('create', '--json', '--plan', 'basic', '--name', 'price bot');
    const made = JSON.parse(stdout);
    expect(made).toEqual({
      id: made.key.split('_')[1],
      name: 'price bot',
      plan: 'basic',
      key: expect.stringMatching(/^gastop_/),
    });
    expect(stderr).toBe('');
    expect(await ask(made.key)).toBe('ok');
  });

  it('keeps no key: neither the file nor a list holds its secret', async () => {
    const { run, create, file } = newHome();
    const { key } = await create();
    const secret = key.split('_')[2] ?? '-';
    for (const name of readdirSync(join(file, '..'))) {
      expect(readFileSync(join(file, '..', name)).includes(secret)).toBe(false);
    }
    expect((await run('list')).stdout + (await run('list', '--json')).stdout).not.toContain(secret);
  });

  it('refuses a plan that is not there and names those that are: exit 2', async () => {
    const { run, file } = newHome({ plans: { team: { dailyLimit: null, perSecond: 5 } } });
    const { exitCode, stdout, stderr } = await run('create', '--plan', 'gold');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe('gastop: there is no plan "gold"; known are free, basic, pro, team\n');
    expect(existsSync(file)).toBe(false);
  });

  it('makes no key that would be forgotten at once, wherever the file in memory was named: exit 2', async () => {
    for (const [argv, env, from] of [
      [['--keys', ':memory:'], {}, '--keys'],
      [[], { GASTOP_KEYS: ':memory:' }, 'GASTOP_KEYS'],
    ] as const) {
      const { exitCode, stdout, stderr } = await runMain(['keys', 'create', ...argv], { env });
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toBe(
        `gastop: ${from}: keys need a file that stays; ":memory:" would forget them at once\n`,
      );
    }
  });

  it('takes a plan of the config file', async () => {
    const { create, list } = newHome({
      plans: { team: { dailyLimit: 7, perSecond: null }, free: { dailyLimit: null, perSecond: 1 } },
    });
    expect(await create('--plan', 'team')).toMatchObject({ plan: 'team' });
    await create();
    const limits = (await list()).map((key: { dailyLimit: unknown }) => key.dailyLimit);
    expect(limits.toSorted()).toEqual([7, null]);
  });

  it('keeps the keys where --keys, GASTOP_KEYS or the config file says, in this order', async () => {
    const named = (name: string) => join(root, `named-${name}.db`);
    const { home, file } = newHome({ keys: named('config') });
    const run = (argv: string[], env = {}) => runMain(['keys', 'create', ...argv], { home, env });
    await run(['--keys', named('flag')], { GASTOP_KEYS: named('env') });
    expect(['flag', 'env', 'config'].map((name) => existsSync(named(name)))).toEqual([true, false, false]);
    await run([], { GASTOP_KEYS: named('env') });
    expect(['env', 'config'].map((name) => existsSync(named(name)))).toEqual([true, false]);
    await run([]);
    expect(existsSync(named('config'))).toBe(true);
    expect(existsSync(file)).toBe(false);
  });
});

describe('gastop keys list', () => {
  it('without any key says how to make one and leaves nothing behind', async () => {
    const { run, file } = newHome();
    expect(await run('list')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'gastop: there are no keys in ~/.local/share/gastop/keys.db; gastop keys create makes one\n',
    });
    expect(await run('list', '--json')).toEqual({ exitCode: 0, stdout: '{"items":[]}\n', stderr: '' });
    expect(existsSync(file)).toBe(false);
  });

  it('shows no secret that a row holds as its name', async () => {
    const { run, file, create } = newHome();
    const { key } = await create();
    const secret = key.split('_')[2] ?? '-';
    const store = new KeyStore(await openKeyDatabase(file));
    const { id } = await issueKey(store, { name: `of ${key}`, plan: 'free', now: Date.now() });
    await store.close();
    const shown = await Promise.all([run('list'), run('list', '--json'), run('rotate', id, '--json')]);
    for (const { exitCode, stdout, stderr } of [...shown, await run('revoke', id, '--yes')]) {
      expect(exitCode).toBe(0);
      expect(stdout + stderr).toContain(`of gastop_${key.split('_')[1]}_…`);
      expect(stdout + stderr).not.toContain(secret);
    }
  });

  it('shows what each key has used today and what remains', async () => {
    const { run, create, ask } = newHome();
    const { id, key } = await create('--name', '価格');
    await ask(key, 3);
    const { stdout } = await run('list');
    const [heading = '', line = ''] = stdout.split('\n');
    expect(heading).toMatch(/^id +name +plan +created \(UTC\) +state +used today +remaining$/);
    expect(line).toMatch(
      new RegExp(`^${id}  価格  free  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  active +3 +49,997$`),
    );
  });

  it('--json has the same for programs', async () => {
    const { create, list, ask, run } = newHome();
    const { id, key } = await create('--plan', 'pro');
    await ask(key, 2);
    await run('revoke', id, '--yes');
    expect(await list()).toEqual([
      {
        id,
        name: '',
        plan: 'pro',
        state: 'revoked',
        createdAt: expect.stringMatching(/Z$/),
        rotatedAt: null,
        revokedAt: expect.stringMatching(/Z$/),
        dailyLimit: 5_000_000,
        usedToday: 2,
        remainingToday: 4_999_998,
        resetsAt: expect.stringMatching(/T00:00:00\.000Z$/),
      },
    ]);
  });
});

describe('gastop keys rotate', () => {
  it('prints a new key for the id; the old one stops, the count goes on', async () => {
    const { run, create, list, ask } = newHome();
    const { id, key } = await create('--name', 'bot');
    await ask(key, 2);
    const { exitCode, stdout, stderr } = await run('rotate', id);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^gastop_${id}_\\w+\n$`));
    expect(stderr).toContain(`gastop: key ${id} has a new secret`);
    expect(await ask(key)).toBe('api_key_revoked');
    expect(await ask(stdout.trim())).toBe('ok');
    expect(await list()).toMatchObject([{ id, usedToday: 3, rotatedAt: expect.any(String) }]);
    const again = JSON.parse((await run('rotate', id, '--json')).stdout);
    expect(again).toEqual({ id, name: 'bot', plan: 'free', key: expect.stringMatching(/^gastop_/) });
  });

  it('does not bring a revoked key back: exit 1', async () => {
    const { run, create, ask } = newHome();
    const { id, key } = await create();
    await run('revoke', id, '--yes');
    const { exitCode, stdout, stderr } = await run('rotate', id);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/was revoked on .* for good; make another with gastop keys create\n$/);
    expect(await ask(key)).toBe('api_key_revoked');
  });
});

describe('gastop keys revoke', () => {
  it('asks at a terminal, ends a key and says so; a second time changes nothing and says so too', async () => {
    const { home, run, create, ask } = newHome();
    const { id, key } = await create('--name', 'bot');
    expect(await run('revoke', id)).toEqual(
      ended(2, '', 'gastop: cannot ask before revoking, as stdin is no terminal; say --yes\n'),
    );
    const asked = (answer: string) => runMain(['keys', 'revoke', id], { home, terminal: true, answer });
    expect((await asked('n')).stderr).toBe(
      `Revoke key ${id} (bot) of the plan free and disable its alerts, for good? [y/N] gastop: kept key ${id}\n`,
    );
    expect(await ask(key)).toBe('ok');
    expect(await run('revoke', id, '--yes')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `gastop: revoked key ${id} (bot) of the plan free; it stopped working, and every running serve disables its alerts\n`,
    });
    expect(await ask(key)).toBe('api_key_revoked');
    const again = await run('revoke', id);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toMatch(/was revoked before, on .* UTC; nothing changed\n$/);
  });

  it.each(['revoke', 'rotate'])('%s of an id that is not there is exit 2', async (word) => {
    const { run, create, file } = newHome();
    const stderr = 'gastop: there is no key 0123456789; gastop keys list shows them\n';
    expect(await run(word, '0123456789')).toMatchObject({ exitCode: 2, stderr });
    expect(existsSync(file)).toBe(false);
    await create();
    expect(await run(word, '0123456789')).toMatchObject({ exitCode: 2, stderr });
  });

  it.each(['revoke', 'rotate'])('%s takes no key as its id, and does not repeat it', async (word) => {
    const { run, create, ask } = newHome();
    const { id, key } = await create();
    const secret = key.split('_')[2] ?? '-';
    for (const typed of [key, key.slice(0, 40), secret]) {
      const { exitCode, stdout, stderr } = await run(word, typed);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).not.toContain(secret.slice(0, 8));
    }
    const { stderr } = await run(word, key);
    expect(stderr).toContain(
      `must be the id of a key, here ${id}: 10 letters and digits that gastop keys list shows`,
    );
    expect(stderr).toContain('other users of this machine can read it');
    expect(await ask(key)).toBe('ok');
  });
});

it.each([
  { argv: ['crate'], says: 'did you mean create?' },
  { argv: ['sell'], says: 'create, list, rotate, revoke' },
])('gastop keys $argv says what there is: exit 2', async ({ argv, says }) => {
  const { exitCode, stderr } = await newHome().run(...argv);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^gastop: [^\n]*\n$/);
  expect(stderr).toContain(says);
});

describe('plans of the config file', () => {
  const refused = async (plans: unknown): Promise<string> => {
    const { home } = newHome({ plans });
    const path = join(home, '.config', 'gastop', 'config.json');
    const load = loadConfigFile(path, { home, platform: 'linux' }, true);
    return load.then(
      () => 'taken',
      (error: Error) => error.message.replace('config file ~/.config/gastop/config.json: ', ''),
    );
  };

  it('are taken with their limits, and with groups where they stand', async () => {
    expect(await refused({ team: { dailyLimit: 1, perSecond: 0.5, groups: ['gas', 'metrics'] } })).toBe(
      'taken',
    );
    expect(await refused({ 'all-of_it': { dailyLimit: null, perSecond: null } })).toBe('taken');
  });

  it('that are wrong are refused with the place and what would do', async () => {
    const team = (more: object) => refused({ team: { dailyLimit: 1, perSecond: 1, ...more } });
    expect(await team({ dailyLimit: 0 })).toBe('"plans.team.dailyLimit" must be at least 1');
    expect(await team({ dailyLimit: '5' })).toBe('"plans.team.dailyLimit" must be a number');
    expect(await team({ dailyLimit: undefined })).toBe('"plans.team.dailyLimit" is missing');
    expect(await team({ perSecond: 0 })).toBe('"plans.team.perSecond" must be at least 0.001');
    expect(await team({ groups: [] })).toBe('"plans.team.groups" must not be empty');
    expect(await team({ groups: ['gas', 'admin'] })).toBe(
      '"plans.team.groups.1" must be one of gas, alerts, auto-txs, dashboard, metrics',
    );
    expect(await team({ burst: 5 })).toBe('"plans.team.burst" is not a setting');
    expect(await refused({ 'a b': { dailyLimit: 1, perSecond: 1 } })).toBe(
      '"plans.a b" must be a name of at most 32 letters, digits, - and _',
    );
    expect(await refused(['free'])).toBe('"plans" must be a JSON object');
  });
});
