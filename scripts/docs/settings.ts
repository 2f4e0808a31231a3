import { SETTING_ROWS } from '../../src/cli/settings-table.ts';
import { code, table } from './markdown.ts';

/** What documents say, in Markdown, of each setting that is not of one command alone; `key` is its name in the config file. */
export const DOCUMENTED_SETTINGS = SETTING_ROWS.flatMap(([name, { at, docs: text }]) => {
  if (text === undefined) return [];
  const variables = [at.secret, at.variable].filter((variable) => variable !== undefined);
  const flag = at.flag?.split(' ')[0] ?? at.ownFlag ?? null;
  return [{ key: at.file === undefined ? null : name, variables, flag, text }];
});

/** Variables that are no settings. */
export const OTHER_VARIABLES: Readonly<Record<string, string>> = {
  'HTTPS_PROXY, HTTP_PROXY, NO_PROXY':
    'in capitals or not, are used as by curl, on Node.js 24.14 or newer; what runs on this machine is asked itself, and deliveries of alerts never go through a proxy',
  'NO_COLOR, CLICOLOR': 'the first set to anything, or the other to `0`: no colours',
  GASTOP_DEBUG: '`1`: the details of an error',
  GASTOP_LOG:
    'a file, to which the monitor appends what it does, a line of JSON each: requests by name, frames, states; for work on gastop itself',
};

export function settingsTable(): string {
  const named = (texts: readonly string[]) => (texts.length === 0 ? '–' : texts.map(code).join(', '));
  return table(
    ['config file', 'environment', 'flag', ''],
    DOCUMENTED_SETTINGS.map(({ key, variables, flag, text }) => [
      named(key === null ? [] : [key]),
      named(variables),
      named(flag === null ? [] : [flag]),
      text,
    ]),
  );
}

export function variablesTable(): string {
  return table(
    ['environment', ''],
    Object.entries(OTHER_VARIABLES).map(([names, text]) => [names.split(', ').map(code).join(', '), text]),
  );
}
