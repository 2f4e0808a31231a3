import { configFile, type LoadedConfig, loadConfigFile } from './config-file.ts';
import type { Io } from './io.ts';
import { cleanLine } from './output.ts';
import { goThroughProxy } from './proxy.ts';
import { resolveSettings, type Settings, type SourceFlags } from './settings.ts';

export interface CommandContext {
  readonly io: Io;
  /** Reads the config file and settles every setting; warnings go to stderr. */
  loadSettings(): Promise<LoadedSettings>;
}

/** Makes an action of a command's work, whose exit code goes to the program. */
export type Run = <Args extends readonly unknown[]>(
  work: (context: CommandContext, ...args: Args) => number | Promise<number>,
) => (...args: Args) => Promise<void>;

export interface LoadedSettings {
  readonly settings: Settings;
  readonly config: LoadedConfig;
  /** Who named the config file: `--config`, `GASTOP_CONFIG` or `default`. */
  readonly configFrom: string;
}

export function createContext(io: Io, flags: SourceFlags): CommandContext {
  return {
    io,
    loadSettings: async () => {
      const named = flags.config ?? (io.env.GASTOP_CONFIG?.trim() || undefined);
      const config = await loadConfigFile(named ?? configFile(io), {
        required: named !== undefined,
        home: io.home,
        platform: io.platform,
      });
      if (config.warning !== null) io.stderr.write(`gastop: ${cleanLine(config.warning)}\n`);
      const configFrom =
        flags.config !== undefined ? '--config' : named !== undefined ? 'GASTOP_CONFIG' : 'default';
      const settings = resolveSettings(flags, io.env, config);
      const { kind } = settings.source.value;
      if (kind === 'rpc' || kind === 'hosted') {
        const problem = goThroughProxy(io.env);
        if (problem !== null) io.stderr.write(`gastop: ${cleanLine(problem)}\n`);
      }
      if (hasLooseKey(settings, config)) {
        io.stderr.write(
          'gastop: the key in the config file is not used, because no url stands beside it; add the url, or set GASTOP_API_KEY\n',
        );
      }
      return { settings, config, configFrom };
    },
  };
}

/** A key that could be meant for any service is sent to none. */
function hasLooseKey({ source, apiKey }: Settings, { content }: LoadedConfig): boolean {
  if (source.value.kind !== 'hosted' || apiKey.value !== null) return false;
  return content?.apiKey !== undefined && content.url === undefined;
}
