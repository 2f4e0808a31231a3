import { describedRoute, type ServiceDescription } from '../client/openapi.ts';
import { displayWidth } from './components/fit.ts';

const INDENT = '    ';

/** What a service says of the fields that its answer has and v1 does not; no line where there are none. */
export function beyondLines(
  description: ServiceDescription | null | undefined,
  path: string,
  width: number,
): readonly string[] {
  const fields = describedRoute(description, path)?.beyond ?? [];
  if (fields.length === 0) return [];
  const lines = fields.flatMap((field) => {
    const words = [field.title, field.description].filter((text) => text !== null).join(': ');
    return [`  ${field.path}`, ...wrapped(words, width - INDENT.length).map((line) => INDENT + line)];
  });
  return ["Fields beyond v1, in the service's own words", ...lines, ''];
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((one) => one !== '')) {
    const last = lines.at(-1);
    const joined = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && displayWidth(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}
