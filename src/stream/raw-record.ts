/**
 * A stream record from the SDK or a Lambda event. The two differ in the creation time (date or seconds) and in binary
 * values (bytes or base64 text).
 */
export interface RawRecord {
  eventName?: string;
  eventSourceARN?: string;
  dynamodb?: {
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's and Lambda's attribute value types exclude each other
    Keys?: Record<string, any>;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    NewImage?: Record<string, any>;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    OldImage?: Record<string, any>;
    SequenceNumber?: string;
    ApproximateCreationDateTime?: Date | number;
    StreamViewType?: string;
  };
}
