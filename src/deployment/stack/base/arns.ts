/** The ARN of the table that a stream belongs to. */
export function tableArnOfStream(streamArn: string): string {
  return streamArn.split('/stream/')[0]!;
}

/** The name of the table that the ARN of a table, or of its stream, names. */
export function tableNameIn(arn: string): string {
  return /:table\/([^/]+)/.exec(arn)?.[1] ?? '';
}
