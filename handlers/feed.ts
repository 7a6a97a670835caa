import graph from '../edgeloom.config.ts';
import { deployedFeed } from '../src/deployment/lambda/deployed.ts';

/** Sends the observer's changes to EventBridge. Deployed only if the stack parameter `feedEventBus` is set. */
export const handler = deployedFeed(graph);
