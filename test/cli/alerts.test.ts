import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { AlertDetails, AlertList, AlertSavings, CreatedAlert } from '../../src/contract/alerts.ts';
import { serve as foreign, sendJson } from '../client/http-server.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { shareServedService } from '../helpers/served-service.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { type Captured, ended, type RunOptions, runMain } from './captured-io.ts';
import { SHORT_RECORDING } from './served.ts';

const folder = sharedFolder('alerts');
let files = 0;
const freshFile = () => join(folder, `file-${++files}`);

type Alerts = (argv: readonly string[], options?: RunOptions) => Promise<Captured>;
const ID = /^alr_[0-9a-f]{16}$/;

async function made(alerts: Alerts, ...argv: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await alerts(['create', ...argv]);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** No node answers there: nothing that these commands do needs one. */
const inDatabase = (): Alerts => {
  const db = freshFile();
  writeFileSync(db, '');
  return (argv, options) => runMain(['alerts', ...argv, '--rpc', 'http://127.0.0.1:1', '--db', db], options);
};

/** One service for all cases: a key shows only the alerts that were made with it. */
const served = shareServedService(() => ({ source: new ScriptedSource() }));

const serve = async (): Promise<Alerts> => {
  const { origin, newKey } = served();
  const key = await newKey();
  return (argv, options) =>
    runMain(['alerts', ...argv, '--url', origin], {
      ...options,
      env: { GASTOP_API_KEY: key, ...options?.env },
    });
};

describe.each([
  ['over HTTP with a key', serve],
  ['in a database, while no node answers', inDatabase],
] as const)('alerts %s', (_, open) => {
  let alerts: Alerts;
  beforeEach(async () => {
    alerts = await open();
  });

  it('are made by flags; stdout has the id alone', async () => {
    const argv = ['--below', '5.000000001', '--lane', 'slow', '--terminal', '--cooldown', '4h', '--once'];
    const { exitCode, stdout, stderr } = await alerts([
      'create',
      ...argv,
      ...'--note deploy --confirm 3'.split(' '),
    ]);
    expect(exitCode).toBe(0);
    expect(stdout.trim()).toMatch(ID);
    expect(stderr).toContain(
      `made ${stdout.trim()}: Slow < 5.000000001 gwei, notify: terminal, fires once\n`,
    );
    const shown = await alerts(['show', stdout.trim(), '--json']);
    expect(AlertDetails.parse(JSON.parse(shown.stdout))).toMatchObject({
      thresholdGwei: 5.000000001,
      gasSpeed: 'SLOW',
      condition: 'LESS_THAN',
      channels: ['TERMINAL'],
      cooldownMs: 14_400_000,
      disableOnce: true,
      confirmBlocks: 3,
      note: 'deploy',
      status: 'PENDING',
    });
  });

  it('watch the blob base fee', async () => {
    const id = await made(alerts, ...'--above 0.000000002 --lane blob --terminal'.split(' '));
    const shown = await alerts(['show', id]);
    expect(shown.stdout).toContain('Blob > 0.000000002 gwei');
    const changed = await alerts(['update', id, '--lane', 'fast']);
    expect(changed.stderr).toContain('Fast > 0.000000002 gwei');
  });

  it('have several channels, the first of which is the method; a webhook brings its secret, once', async () => {
    const argv = '--above 80 --webhook https://example.org/hook --slack https://example.org/slack'.split(' ');
    const { stdout, stderr } = await alerts(['create', ...argv, '--rearm-margin', '2']);
    expect(stderr).toMatch(
      /the webhooks of all your alerts are signed with whsec_\S+; gastop alerts rotate-secret changes it\n/,
    );
    const shown = await alerts(['show', stdout.trim()]);
    expect(shown.stdout).not.toContain('whsec_');
    expect(shown.stdout).toContain('fires when    Average > 80 gwei\n');
    expect(shown.stdout).toContain('re-arm margin 2 gwei\n');
    expect(shown.stdout).toMatch(
      /^webhook {7}https:\/\/example\.org\/hook\nslack {9}https:\/\/example\.org\/slack$/m,
    );
  });

  it('are changed by flags, which leave the rest as it was, or by JSON as a whole', async () => {
    const rule = ['--below', '5', '--lane', 'slow', '--once', '--confirm', '3', '--rearm-margin', '0.5'];
    const id = await made(alerts, ...rule, '--terminal', '--note', 'deploy');
    const shown = async () => AlertDetails.parse(JSON.parse((await alerts(['show', id, '--json'])).stdout));
    const { createdAt, ...before } = await shown();
    const update = await alerts(['update', id, '--below', '4', '--no-once', '--cooldown', '4h']);
    expect(update).toEqual(
      ended(0, '', `gastop: changed ${id}: Slow < 4 gwei, notify: terminal, cooldown 4h\n`),
    );
    const changed = { ...before, thresholdGwei: 4, disableOnce: false, cooldownMs: 14_400_000 };
    expect(await shown()).toEqual({ ...changed, createdAt, updatedAt: expect.any(String) });
    const hooks = ['--webhook', 'https://example.org/hook', '--slack', 'https://example.org/slack'];
    expect((await alerts(['update', id, ...hooks])).stderr).toMatch(/are signed with whsec_/);
    expect(await shown()).toMatchObject({ channels: ['WEBHOOK', 'SLACK'], to: hooks[1], note: 'deploy' });
    const whole = { thresholdGwei: 9, gasSpeed: 'FAST', condition: 'GREATER_THAN', channels: ['TERMINAL'] };
    const input = JSON.stringify(whole);
    const { stdout } = await alerts(['update', id, '-', '--json'], { input });
    expect(CreatedAlert.parse(JSON.parse(stdout))).toMatchObject({
      ...whole,
      id,
      note: '',
      confirmBlocks: 1,
    });
    expect(await alerts(['update', id])).toMatchObject({ exitCode: 2 });
    expect(await alerts(['update', id, '--cooldown', '40d'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--cooldown: "40d" is out of range'),
    });
    expect(await alerts(['update', 'alr_none', '--below', '4'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('there is no alert alr_none'),
    });
  });

  it.each([
    ['$0.40/swap', { usd: 0.4, action: 'swap' }],
    ['$2/200000', { usd: 2, gas: 200_000 }],
    ['p20/7d', { percentile: 20, windowSec: 604_800 }],
    ['-25%/7d', { belowMedianRatio: 0.25, windowSec: 604_800 }],
    ['2% of $35/swap', { shareRatio: 0.02, ofUsd: 35, action: 'swap' }],
  ])(
    'wait for %s as it is written, also after a change, and no longer once they get a price',
    async (text, threshold) => {
      const { stdout, stderr, exitCode } = await alerts(['create', '--below', text, '--terminal']);
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`: Average < ${text} (`)]);
      const id = stdout.trim();
      const shown = async () => AlertDetails.parse(JSON.parse((await alerts(['show', id, '--json'])).stdout));
      expect(await shown()).toMatchObject({ threshold, thresholdReason: expect.any(String) });
      expect((await alerts(['list'])).stdout).toContain(`Average < ${text} (`);
      expect((await alerts(['show', id])).stdout).toContain(`fires when    Average < ${text} (`);
      await alerts(['update', id, '--lane', 'fast']);
      expect(await shown()).toMatchObject({ threshold, gasSpeed: 'FAST' });
      expect((await alerts(['update', id, '--above', '4'])).stderr).toContain('Fast > 4 gwei,');
      expect(await shown()).toMatchObject({ threshold: null, thresholdGwei: 4, thresholdReason: null });
      expect((await alerts(['update', id, '--below', text])).stderr).toContain(`Fast < ${text} (`);
      expect(await shown()).toMatchObject({ threshold });
    },
  );

  it('get another signing secret, which is printed alone', async () => {
    await made(alerts, '--below', '5', '--webhook', 'https://example.org/hook');
    const { exitCode, stdout, stderr } = await alerts(['rotate-secret']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^whsec_\S+\n$/);
    expect(stderr).toMatch(
      /^gastop: it signs the webhooks of all your alerts .* with the one before as well\n$/,
    );
    const again = await alerts(['create', '--below', '4', '--webhook', 'https://example.org/hook']);
    expect(again.stderr).toContain(stdout.trim());
  });

  it('are made from JSON, on stdin or in a file; --json gives the answer as it is', async () => {
    const creation = { thresholdGwei: 0.8, gasSpeed: 'FAST', condition: 'LESS_THAN', channels: ['TERMINAL'] };
    const input = `\uFEFF${JSON.stringify(creation)}\r\n`;
    const { exitCode, stdout, stderr } = await alerts(['create', '-', '--json'], { input });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(CreatedAlert.parse(JSON.parse(stdout))).toMatchObject(creation);
    const file = freshFile();
    writeFileSync(file, input);
    expect(await made(alerts, file)).toMatch(ID);
  });

  it('are listed newest first, plainly, cut to a terminal, or as v1 answers them', async () => {
    expect(await alerts(['list'])).toEqual(
      ended(0, '', 'gastop: there are no alerts; gastop alerts create makes one\n'),
    );
    const first = await made(alerts, '--below', '5', '--terminal', '--note', `${'long '.repeat(30)}🚀`);
    const second = await made(alerts, '--above', '7', '--webhook', 'https://example.org/', '--terminal');
    const rows = (await alerts(['list'])).stdout.split('\n');
    expect(rows[0]).toMatch(/^id +when +state +notify +fired +last \(UTC\) +note$/);
    expect(rows[1]).toContain(`${second}  Average > 7 gwei  armed  webhook, terminal      0  -`);
    expect(rows[2]).toMatch(new RegExp(`^${first}.*(long ){30}🚀$`));
    const onScreen = (await alerts(['list'], { terminal: true })).stdout.split('\n');
    expect(Math.max(...onScreen.map((row) => row.length))).toBeLessThanOrEqual(80);
    expect(onScreen[2]).toMatch(/armed {2}terminal +(\d {2})?long long.*…$/);
    const ascii = (await alerts(['list', '--ascii'], { terminal: true })).stdout;
    expect(ascii).toMatch(/^[\x20-\x7e\n]*$/);
    expect(Math.max(...ascii.split('\n').map((row) => row.length))).toBeLessThanOrEqual(80);
    const { items, total } = AlertList.parse(JSON.parse((await alerts(['list', '--json'])).stdout));
    expect({ ids: items.map(({ id }) => id), total }).toEqual({ ids: [second, first], total: 2 });
  });

  it('are disabled, armed and deleted, several at once; one that is not there keeps no other from it', async () => {
    const one = await made(alerts, '--below', '5', '--terminal');
    const two = await made(alerts, '--below', '6', '--terminal');
    expect(await alerts(['disable', one, 'alr_none', two])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `gastop: disabled ${one}\ngastop: there is no alert alr_none; gastop alerts list shows them\ngastop: disabled ${two}\n`,
    });
    expect((await alerts(['list'])).stdout.match(/ disabled /g)).toHaveLength(2);
    const armed = await alerts(['enable', one, two, '--json']);
    const answers = armed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toMatchObject([
      { id: one, status: 'PENDING' },
      { id: two, status: 'PENDING' },
    ]);
    expect(await alerts(['delete', one, two, '--yes'])).toMatchObject({ exitCode: 0, stdout: '' });
    expect((await alerts(['list', '--json'])).stdout).toContain('"total":0');
  });

  it('delete asks on a terminal, and takes nothing but yes for it', async () => {
    const id = await made(alerts, '--below', '5', '--terminal');
    for (const answer of ['', 'n', 'maybe', null]) {
      const kept = await alerts(['delete', id], { terminal: true, answer });
      expect(kept).toMatchObject({ exitCode: 0, stdout: '' });
      expect(kept.stderr).toContain(
        `Delete ${id} (Average < 5 gwei, notify: terminal)? [y/N] gastop: kept ${id}\n`,
      );
    }
    const unseen = await alerts(['delete', id], { terminal: true, stderrIsTTY: false });
    expect(unseen).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('say --yes') });
    expect((await alerts(['show', id])).exitCode).toBe(0);
    expect(await alerts(['delete', id])).toEqual(
      ended(2, '', 'gastop: cannot ask before deleting, as stdin is no terminal; say --yes\n'),
    );
    const deleted = await alerts(['delete', id, '--yes'], { terminal: true });
    expect(deleted).toEqual({ exitCode: 0, stdout: '', stderr: `gastop: deleted ${id}\n` });
  });

  it('what the service refuses is said of the flags that were given', async () => {
    const refused = (...argv: string[]) => alerts(['create', '--below', '5', ...argv]);
    expect(await refused('--webhook', 'http://hook.example.org/a')).toEqual(
      ended(2, '', 'gastop: --webhook must begin with https://\n'),
    );
    const argv = ['--terminal', '--email', 'gas@example.org', '--webhook', 'http://hook.example.org/a'];
    expect((await refused(...argv)).stderr.split('\n')).toEqual([
      'gastop: --webhook must begin with https://',
      '',
    ]);
  });

  it('say what they saved', async () => {
    const id = await made(alerts, '--below', '5', '--terminal');
    const { stdout } = await alerts(['savings', id, '--gas', '21,000']);
    expect(stdout).toContain('firings       0\n');
    expect(stdout).toContain('at 21,000 gas each');
    const json = await alerts(['savings', id, '--gas', '21000', '--json']);
    expect(AlertSavings.parse(JSON.parse(json.stdout))).toMatchObject({ alertId: id, gasAmount: 21_000 });
  });

  it.each([
    ['show', ['alr_none']],
    ['savings', ['alr_none']],
    ['enable', ['alr_none']],
    ['disable', ['../keys']],
    ['delete', ['alr_none', '--yes']],
    ['redeliver', ['alr_none', 'alr_none.1.webhook']],
  ])('that are not there are exit 1 and one line for %s', async (name, argv) => {
    const { exitCode, stdout, stderr } = await alerts([name, ...argv]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^gastop: there is no [^\n]+; gastop alerts list shows them\n$/);
  });
});

describe('an alert that cannot be', () => {
  it.each<[string[], string]>([
    [['--terminal'], 'an alert needs a price: --below PRICE, or --above PRICE'],
    [['--terminal', '--below', '5', '--above', '6'], '--below and --above cannot be combined'],
    [['--below', '5'], 'name whom to notify: --email'],
    [['--below', '0', '--terminal'], '--below: must be more than 0'],
    [['--below', '1.0000000001', '--terminal'], '--below: must have at most 9 decimals'],
    [['--below', '$0.40', '--terminal'], '--below: $0.40 for what? write $0.40/swap'],
    [['--below', '2%', '--terminal'], 'write 2% of $35/swap, or -2%/7d (below the median); in single quotes'],
    [['--below', 'bash.40/swap', '--terminal'], 'in single quotes, since a shell reads $'],
    [['--below', '2% of 5/swap', '--terminal'], 'in single quotes, since a shell reads $'],
    [['--above', 'p20', '--terminal'], '--above: p20 over how long? write p20/7d'],
    [['--below', '5', '--terminal', '--cooldown', '31d'], '--cooldown: "31d"'],
    [['--below', '5', '--email', 'no-address'], '--email must be one email address'],
    [['--below', '5', '--terminal', '--email', 'a@b.c,d@e.f'], '--email must be one email'],
    [['--below', '5', '--telegram', '1 2'], '--telegram must be a chat id'],
    [['--below', '5', '--webhook', 'file:///etc/passwd'], '--webhook must begin with https://'],
    [['--below', '5', '--terminal', '--confirm', '5000'], '--confirm must be at most 1,000'],
    [['-', '--below', '5'], 'from flags or from JSON, not from both'],
  ])('%j: one line, exit 2, before anything is asked', async (argv, says) => {
    const result = await runMain(['alerts', 'create', ...argv, '--url', 'http://127.0.0.1:1']);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(/^gastop: [^\n]+\n$/);
    expect(result.stderr).toContain(says);
  });

  it('by flags says all that is wrong at once, by the flags that were typed', async () => {
    const argv = ['--above', '1', '--terminal', '--email', 'nonsense', '--webhook', 'http://127.0.0.1/x'];
    const more = ['--confirm', '5000', '--rearm-margin', '5', '--note', 'n'.repeat(600)];
    const { exitCode, stderr } = await inDatabase()(['create', ...argv, ...more]);
    expect(exitCode).toBe(2);
    const [head, ...lines] = stderr.trimEnd().split('\n');
    expect(head).toBe('gastop: 5 things are wrong with this alert');
    expect(lines.map((line) => line.trim().split(/:? /)[0]).sort()).toEqual(
      '--confirm --email --note --rearm-margin --webhook'.split(' '),
    );
    expect(stderr).toContain(
      '--webhook must not be on this machine or in a private network (127.0.0.1); the operator can allow it with --allow-private-targets',
    );
  });

  const create = (input: string) => inDatabase()(['create', '-'], { input });

  it('from JSON says all that is wrong at once, field by field, unknown ones by name', async () => {
    const { exitCode, stderr } = await create(
      '{"thresholdGwei":-1,"gasSpeed":"TURBO","channels":["SLACK"],"colour":"red","note":7}',
    );
    expect(exitCode).toBe(2);
    expect(stderr.split('\n').map((line) => line.trim().split(' ')[0])).toEqual([
      'gastop:',
      'thresholdGwei',
      'gasSpeed',
      'condition',
      'note',
      'colour',
      'to',
      '',
    ]);
  });

  it.each([
    ['nothing', '', 'stdin is empty'],
    ['no JSON', '{"to":"https://hooks.example/secret-token"', 'stdin is not JSON'],
    ['a list', '[]', 'the alert must be a JSON object'],
  ])('%s on stdin: one line that repeats nothing of it', async (_title, input, says) => {
    const { exitCode, stderr } = await create(input);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^gastop: [^\n]+\n$/);
    expect(stderr).toContain(says);
    expect(stderr).not.toContain('secret-token');
  });

  it.skipIf(process.platform === 'win32')('from a file not there, a folder, or one too long', async () => {
    const long = freshFile();
    writeFileSync(long, ' '.repeat(70_000));
    chmodSync(long, 0o600);
    for (const [file, says] of [
      ['/no/such.json', 'does not exist'],
      [folder, 'is a folder'],
      [long, 'is longer than 64 kB'],
    ] as const) {
      const { exitCode, stderr } = await runMain(['alerts', 'create', file, '--url', 'http://127.0.0.1:1']);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^gastop: [^\n]+\n$/);
      expect(stderr).toContain(says);
    }
  });
});

describe('where alerts are kept', () => {
  it('a recording keeps none without --db', async () => {
    for (const command of [['list'], ['create', '--below', '5', '--terminal']]) {
      const { exitCode, stdout, stderr } = await runMain(['alerts', ...command, '--replay', SHORT_RECORDING]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toMatch(/^gastop: a recording keeps no alerts [^\n]+--db FILE\n$/);
    }
  });

  it('the demo takes one, lists without a command, and says that it keeps none without --db', async () => {
    const made = await runMain(['alerts', 'create', '--below', '5', '--terminal', '--demo']);
    expect(made.stdout).toMatch(/^alr_\w+\n$/);
    const listed = await runMain(['alerts', '--demo']);
    expect([made.exitCode, listed.exitCode, listed.stdout]).toEqual([0, 0, '']);
    for (const { stderr } of [made, listed]) expect(stderr).toContain('keeps no alerts; --db FILE does');
  });

  it.each([
    ['list'],
    ['show', 'alr_none'],
    ['enable', 'alr_none'],
    ['disable', 'alr_none'],
    ['delete', 'alr_none', '--yes'],
    ['savings', 'alr_none'],
    ['redeliver', 'alr_none', 'alr_none.1.email'],
  ])('a database that is not there is not made by alerts %s', async (...argv) => {
    const db = freshFile();
    expect(await runMain(['alerts', ...argv, '--db', db])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `gastop: ${db} does not exist; check --db, or make an alert there with gastop alerts create\n`,
    });
    expect(existsSync(db)).toBe(false);
  });

  it.each([
    'alerts list',
    'alerts enable some',
    'alerts disable some',
    'alerts delete some --yes',
    'auto-txs cancel some',
    'auto-txs update some --disable',
    'auto-txs delete some --yes',
  ])(
    'no node and no --db is exit 3, as nobody knows whose are meant, and says what needs none: %s',
    async (line) => {
      const result = await runMain([...line.split(' '), '--rpc', 'http://127.0.0.1:1'], { home: folder });
      expect(result).toMatchObject({ exitCode: 3, stdout: '' });
      expect(result.stderr).toContain('no node answers; name the database with --db FILE, which needs none');
    },
  );
});

describe('alerts preview', () => {
  it('says how often it would have fired, and when last', async () => {
    const { exitCode, stdout, stderr } = await runMain([
      ...'alerts preview --replay'.split(' '),
      SHORT_RECORDING,
      '--below',
      '12',
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^\[REPLAY\] {2}would have fired (?:once|\d+ times) in the last \S+, (?:last )?at 2024-10-1\d \d\d:\d\d UTC at [\d.]+ gwei \(block by block\)\n$/,
    );
    const never = await runMain(['alerts', 'preview', '--replay', SHORT_RECORDING, '--below', '0.001']);
    expect(never.stdout).toMatch(
      /^\[REPLAY\] {2}would not have fired in the last \S+: the price was between /,
    );
  });

  it('gives programs the same, and takes the JSON that create takes', async () => {
    const input = JSON.stringify({
      ...{ thresholdGwei: 12, gasSpeed: 'AVERAGE', condition: 'LESS_THAN', channels: ['TERMINAL'] },
    });
    const argv = ['alerts', 'preview', '--replay', SHORT_RECORDING, '--json'];
    const byFlags = await runMain([...argv, '--below', '12']);
    expect(JSON.parse(byFlags.stdout)).toMatchObject({
      times: expect.any(Number),
      last: { at: expect.stringMatching(/Z$/), price: expect.any(Number) },
    });
    expect(await runMain([...argv, '-'], { input })).toEqual(byFlags);
    const line = ['--below', '12', '--email', 'a@example.org', '--note', 'as for create', '--once'];
    expect((await runMain([...argv, ...line])).exitCode).toBe(0);
  });
});

const text = {
  status: 'SNOOZED\u001b[31m',
  gasSpeed: 'Standard',
  channels: ['Web Push'],
  note: '\u001b]0;x\u0007hi',
};
it('alerts of a service that others run are listed in its own words, harmless for a terminal, and changed by its own ids', async () => {
  const { url } = await foreign((request, response) => {
    const alert = { _id: '65f0/../x', thresholdGwei: '12', condition: 'LESS_THAN', ...text };
    if (request.method === 'GET') return sendJson(response, { data: [alert] });
    response.writeHead(204).end();
  });
  const { stdout } = await runMain(['alerts', 'list', '--url', url]);
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toMatch(/^65f0\/\.\.\/x +standard < 12 gwei +snoozed\S* +web push +- +- +.*hi$/im);
  expect(await runMain(['alerts', 'disable', '65f0/../x', '--url', url])).toEqual(
    ended(0, '', 'gastop: disabled 65f0/../x\n'),
  );
  const json = await runMain(['alerts', 'disable', '65f0/../x', '--json', '--url', url]);
  expect(json).toEqual({ exitCode: 0, stdout: '', stderr: '' });
});

const CHANGES_ALERTS = {
  openapi: '3.1.0',
  info: { title: 'Gas', version: '1' },
  paths: { '/be/api/v1/alerts/{id}': { get: {}, put: {} } },
};

it.each([
  { channels: ['TERMINAL'], method: 'TERMINAL', to: 'tty1' },
  { channels: ['TERMINAL'], targets: { TERMINAL: 'everyone' } },
  {
    channels: ['EMAIL', 'TERMINAL'],
    method: 'EMAIL',
    to: 'gas@example.org',
    targets: { TERMINAL: 'everyone' },
  },
])('alerts of a service that keeps a target for a channel without one are changed: %j', async (kept) => {
  const alert = { id: 'a', thresholdGwei: 12, condition: 'LESS_THAN', gasSpeed: 'FAST', note: '', ...kept };
  const { url, requests } = await foreign((_, response) => sendJson(response, alert), CHANGES_ALERTS);
  const { exitCode, stderr } = await runMain(['alerts', 'update', 'a', '--below', '3', '--url', url]);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('changed a')]);
  const { body = '' } = requests.find(({ method }) => method === 'PUT') ?? {};
  expect(JSON.parse(body)).toMatchObject({ thresholdGwei: 3, channels: kept.channels });
  expect(body).not.toMatch(/tty1|everyone/);
});
