import { deployedFeed } from 'edgeloom/lambda';
import graph from '../edgeloom.config.ts';

/** Puts the changes of the table to EventBridge; deployed where the stack's parameter `feedEventBus` asks for it. */
export const handler = deployedFeed(graph);
