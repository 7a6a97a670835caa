import { App, Stack } from 'aws-cdk-lib';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';

/**
 * The stack of a model in a CDK app. Before it:
 *   npm run bundle                                            the functions, into .code
 *   npx edgeloom stack --stage prod > template.json
 */
const app = new App();
const stack = new Stack(app, 'Edgeloom');
const code = new Asset(stack, 'Code', { path: process.env.CODE ?? '.code' });
const template = new CfnInclude(stack, 'Template', { templateFile: process.env.TEMPLATE ?? 'template.json' });

for (const name of ['Stream', 'Check', 'Rebuild', 'Redrive']) {
  const own = template.getResource(`${name}LambdaFunction`);
  own.code = { s3Bucket: code.s3BucketName, s3Key: code.s3ObjectKey };
}
app.synth();
