import { Option } from 'commander';
import { usageError } from './errors.ts';
import { USUAL_CHAINS } from './known-chains.ts';
import { type ChainSetup, namedChains, type Settings } from './settings.ts';

export const chainsOption = () =>
  new Option('--chains <NAMES>', 'chains side by side, such as base,op (default: those of the config file)');

/** The chains that `--chains` names, else those of the config file. @throws CliError (usage) beside one source. */
export function chosenChains({ source, chains }: Settings, text: string | undefined): readonly ChainSetup[] {
  if (text === undefined) return chains.value;
  if (source.from.startsWith('--'))
    throw usageError(`${source.from} names one source, --chains several; name either`);
  return namedChains(text, chains.value);
}

export function comparedChains(settings: Settings, text: string | undefined): readonly ChainSetup[] {
  const own = settings.chains.value.map(({ name }) => name).join(',');
  return chosenChains(settings, text ?? (own || USUAL_CHAINS));
}
