import graph from '../edgeloom.config.ts';
import { deployedFeed } from '../src/deployment/lambda/deployed.ts';

/** Puts the changes that the observer tells to EventBridge; deployed where the stack's parameter `feedEventBus` asks for it. */
export const handler = deployedFeed(graph);
