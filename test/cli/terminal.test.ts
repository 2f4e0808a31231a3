import { describe, expect, it } from 'vitest';
import { gastop } from '../helpers/gastop.ts';

describe.skipIf(process.platform === 'win32')('the monitor in a terminal, given what it cannot use', () => {
  it('a real one shows that line alone, without the alternate screen', async () => {
    await using terminal = await gastop(['live', '--rcp', 'x'], { cols: 200 });
    expect((await terminal.waitForExit()).exitCode).toBe(2);
    const said = terminal.screen().filter((row) => row.trim() !== '');
    expect(said).toEqual([expect.stringMatching(/^gastop: .*unknown option/)]);
    expect(terminal.output()).not.toContain('\u001b[?1049h');
  });
});
