const { join } = require('node:path');

/** What serverless.yml takes from the model: the framework reads CommonJS only. */
const value = (name) => async (context) => {
  const { serverlessValues } = await import('edgeloom/stack');
  return await serverlessValues({ modelFile: join(__dirname, 'edgeloom.config.ts') })[name](context);
};

module.exports = { functions: value('functions'), resources: value('resources'), stackPolicy: value('stackPolicy') };
