"""How the time and the memory of LCIF grow with the scale of the data, as a table and a figure."""

from labelknn_papers.papers.scale import draw_scale, fit_growth, write_scale
from labelknn_papers.run.job import job
from labelknn_papers.run.scale import read_measurements
from labelknn_papers.show.figures import save_figure

with job(snakemake.log[0]):
    shapes = snakemake.params.shapes
    measured = read_measurements(snakemake.input.measurements)
    growths = [
        fit_growth([one for one in measured if one.shape == shape], sweep["fit_from"])
        for shape, sweep in shapes.items()
    ]
    write_scale(snakemake.output.table, growths)
    titles = {shape: sweep["title"] for shape, sweep in shapes.items()}
    save_figure(draw_scale(growths, titles), snakemake.output.pictures)
