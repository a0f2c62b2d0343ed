"""The evaluation of metrics: WMT's score files, MQM annotations, and how well metrics agree with people."""
