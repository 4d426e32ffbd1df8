/** What is needed to grant points; decided when the order is confirmed, not when the job runs. */
export interface PointsJob {
  readonly orderId: string;
  readonly customerId: number;
  readonly points: number;
}
