import type { Command } from 'commander';
import { CLOUDWATCH, type DrilledAlarm, drill } from '../../../../src/deployment/drill/drill.ts';
import { docsPage } from '../../../../src/foundation/docs.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import { awsService } from '../../shared/aws-service.ts';
import { settingsOf } from '../../shared/model.ts';
import { examples } from '../../shared/options.ts';
import { print, textTable } from '../../shared/output.ts';
import { endingOnSignal } from '../../shared/signals.ts';

interface DrillCommandOptions {
  stack: string;
  alarm?: string[];
  dryRun?: boolean;
}

const NOT_TOLD = 1;

const AGAIN = 'Run it again. CloudWatch corrects the state of an alarm that is still set.';

const HELP = `
Exit code: 0, or 1 if an alarm reaches nobody; 2 after a failure.
Rights: cloudwatch:DescribeAlarms, DescribeAlarmHistory, SetAlarmState.
`;

export function drillCommand(command: Command): void {
  command
    .requiredOption('--stack <name>', 'stack whose alarms to test: service and stage, such as edgeloom-prod')
    .option('--alarm <name...>', `only these alarms, named as in ${docsPage('alarms')} (default: all)`)
    .option('--dry-run', 'list the alarms and their topics, and set none')
    .addHelpText(
      'after',
      HELP +
        examples(
          'drill --stack edgeloom-prod --dry-run',
          'drill --stack edgeloom-prod',
          'drill --stack edgeloom-prod --alarm IteratorAge Drift --json',
        ),
    )
    .action(async (...args: [DrillCommandOptions, Command]) => {
      const [{ stack, alarm, dryRun = false }] = args;
      const settings = settingsOf(args);
      const onAlarm = ({ alarm: name, outcome }: DrilledAlarm): void => {
        if (!settings.json && !dryRun) process.stderr.write(`${name}: ${outcome}\n`);
      };
      const { AWS_ENDPOINT_URL_CLOUDWATCH: own, AWS_ENDPOINT_URL: general } = process.env;
      const call = await awsService(CLOUDWATCH, settings, own || general);
      const alarms = await endingOnSignal(AGAIN, () => drill({ call, stack, only: alarm, dryRun, onAlarm }));
      const untold = alarms.filter(({ outcome }) => outcome === 'failed' || outcome === 'silent');
      if (untold.length > 0) process.exitCode = NOT_TOLD;
      const told = alarms.filter(({ outcome }) => outcome === 'told').length;
      const rows = alarms.map(({ alarm: name, outcome, topics, description }) => [
        ...[name, outcome, topics.map((topic) => topic.split(':').at(-1)).join(' ')],
        description.split(' Runbook: ').at(-1),
      ]);
      const summary = dryRun
        ? `${countText(alarms.length, 'alarm')}: without --dry-run each tells its topics twice, that it rings and that it does not`
        : `${countText(told, 'alarm')} of ${alarms.length} told. SNS mails confirmed addresses alone: the mails have to be there`;
      const text = `${textTable(['alarm', 'outcome', 'topics', 'runbook'], rows)}\n${summary}`;
      print({ json: { stack, dryRun, told, alarms }, text }, settings.json);
    });
}
