import {
  AnyParameters,
  BlocknativeParameters,
  BlocknativePrices,
  EtherscanGasOracle,
  EtherscanParameters,
  MetamaskParameters,
  MetamaskSuggestedFees,
} from '../../../contract/compat.ts';
import { PATHS } from '../../../contract/routes.ts';
import { isOutdated } from '../../../core/chain-status.ts';
import { type PublishedChain, problemOf } from '../../published-chain.ts';
import { blocknativePrices, etherscanGasOracle, metamaskSuggestedFees } from '../../responses/compat.ts';
import { invalidField, notFound, unavailable } from '../errors.ts';
import { type Route, type RouteParts, route } from './route.ts';

const RETRY_SEC = 5;

/** The shapes of other services have no word for stale prices, so that they are not given. @throws {ApiFailure} */
function fresh(publisher: RouteParts['publisher']): PublishedChain {
  const published = publisher.require();
  if (!isOutdated(published.status)) return published;
  const why = problemOf(published)?.message ?? 'the source gives no new block';
  throw unavailable(`prices are stale: ${why}; /gas/current has the last ones`, RETRY_SEC);
}

/** @throws {ApiFailure} prices of another chain would look like those that were asked for */
function requireChain({ profile }: PublishedChain, asked: string): void {
  if (Number(asked) !== profile.id) {
    throw invalidField('chainid', `must be ${profile.id}: this service has the prices of ${profile.name}`);
  }
}

export const compatRoutes = ({ publisher }: Pick<RouteParts, 'publisher'>): Route[] => [
  route('get', PATHS.compatBlocknative, {
    summary: "What gas costs, as Blocknative's gas API said it",
    query: BlocknativeParameters,
    response: BlocknativePrices,
    handle({ query: { chainid = '1', confidenceLevels } }) {
      const published = fresh(publisher);
      requireChain(published, chainid);
      return blocknativePrices(published, confidenceLevels);
    },
  }),
  route('get', PATHS.compatMetamask, {
    summary: "What gas costs, as MetaMask's gas API says it",
    params: MetamaskParameters,
    query: AnyParameters,
    response: MetamaskSuggestedFees,
    refusals: { 404: 'The service has the prices of another chain' },
    handle({ params: { chainId } }) {
      const published = fresh(publisher);
      const { id, name } = published.profile;
      if (Number(chainId) !== id)
        throw notFound(`this service has the prices of ${name} (${id}), of no other`);
      return metamaskSuggestedFees(published);
    },
  }),
  ...([PATHS.compatEtherscan, PATHS.compatEtherscanV2] as const).map((path) =>
    route('get', path, {
      summary: "What gas costs, as Etherscan's gas oracle says it",
      query: EtherscanParameters,
      response: EtherscanGasOracle,
      handle({ query: { chainid } }) {
        const published = fresh(publisher);
        if (chainid !== undefined) requireChain(published, chainid);
        return etherscanGasOracle(published);
      },
    }),
  ),
];
