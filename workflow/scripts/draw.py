"""Draw one figure of a paper, and write the table that belongs to it."""

from labelknn.utils._files import write_table
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.run.job import job
from labelknn_papers.show.draw import draw
from labelknn_papers.show.figures import save_figure
from labelknn_papers.show.needs import FILES

with job(snakemake.log[0]):
    plan = plan_of(snakemake)
    files = {need: paths for need, paths in snakemake.input.items() if need in FILES}
    drawing = draw(plan, snakemake.params.paper, snakemake.params.figure, files)
    if drawing.figure:
        save_figure(drawing.figure, snakemake.output.pictures)
    for path in snakemake.output.table:
        write_table(path, drawing.header, drawing.rows)
